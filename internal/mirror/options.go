package mirror

// Options say what is mirrored, and within which bounds.
type Options struct {
	// Projects are uids; all that the key sees where there are none.
	Projects []string
	// Folder is where what is gathered lies until it is brought in, and after that what the next run goes on from.
	Folder string
	// MostFile is how many bytes a file may have.
	MostFile int64
	// Dry gathers and says what would be brought in.
	Dry bool
	// Notice is told what people should know on the way.
	Notice func(text string)
	// Progress is told how far the import of a project is, in percent.
	Progress func(percent int)
}

// The bounds of what another server can make this one keep; tests lower them.
var (
	mostProjects = 2_000
	mostRecords  = 2_000_000
	mostPages    = 100_000 // of one list in one run
)

// mostRounds is how often a server is read again until it stands still.
const mostRounds = 20

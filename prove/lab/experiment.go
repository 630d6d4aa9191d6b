package lab

// The engines, as the command line names them.
const (
	SQLite     = "sqlite"
	PostgreSQL = "postgres"
)

// BothEngines is for experiments that run on each.
var BothEngines = []string{SQLite, PostgreSQL}

// Experiment tries one thing that was promised.
type Experiment struct {
	ID       string
	Title    string
	MustHold string // what must hold
	// Control says what is wrong with what the control tries.
	Control string
	Engines []string
	// ByName leaves it out of the short forms unless it is named: it compares times and needs the machine for itself.
	ByName bool
	Run    func(*Trial) error
	// RunControl gives what the control was seen to do wrong; empty when nothing was noticed.
	RunControl func(*Trial) (caught string, err error)
}

// errNotRun says that this machine cannot run an experiment.
type errNotRun struct{ reason string }

func (e errNotRun) Error() string { return e.reason }

// CannotRun is the error of an experiment that this machine cannot run, and why.
func CannotRun(reason string) error { return errNotRun{reason} }

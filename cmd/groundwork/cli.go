package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"groundwork/internal/api"
	"groundwork/internal/app"
	"groundwork/internal/auth"
	"groundwork/internal/certificate"
	"groundwork/internal/identity"
	"groundwork/internal/redact"
	"groundwork/internal/trace"
)

// cli is the grammar of the command line.
type cli struct {
	Config           string        `help:"A file of settings, in TOML (default: groundwork.toml in the data folder, if it is there)." env:"GROUNDWORK_CONFIG" placeholder:"FILE"`
	Data             string        `help:"The folder that holds everything of this installation (default: ${data})." env:"GROUNDWORK_DATA" default:"${data}" placeholder:"DIR"`
	DatabaseURL      redact.Secret `help:"${database_help}" env:"GROUNDWORK_DATABASE_URL" placeholder:"URL"`
	DatabaseOwnerURL redact.Secret `help:"${database_owner_help}" env:"GROUNDWORK_DATABASE_OWNER_URL" placeholder:"URL"`
	BlobURL          redact.Secret `help:"${blob_help}" env:"GROUNDWORK_BLOB_URL" placeholder:"URL"`
	MailURL          redact.Secret `help:"${mail_help}" env:"GROUNDWORK_MAIL_URL" placeholder:"URL"`
	MailFrom         string        `help:"Who mail is from, such as Groundwork <groundwork@example.com>." env:"GROUNDWORK_MAIL_FROM" placeholder:"ADDRESS"`
	MailDKIMKey      string        `name:"mail-dkim-key" help:"A file with the private key that mail is signed with (DKIM), RSA or Ed25519, in PEM. Without it the mail server may sign." env:"GROUNDWORK_MAIL_DKIM_KEY" type:"path" placeholder:"FILE"`
	MailDKIMSelector string        `name:"mail-dkim-selector" help:"The name under which the sender's domain publishes the key that mail is signed with, here or by the mail server." env:"GROUNDWORK_MAIL_DKIM_SELECTOR" placeholder:"NAME"`
	MailDNS          string        `name:"mail-dns" help:"The DNS server that doctor asks what the sender's domain publishes (default: the system's)." env:"GROUNDWORK_MAIL_DNS" placeholder:"HOST:PORT"`
	DrawingCache     string        `name:"drawing-cache" help:"Where the compiled form of the PDF library is kept, which takes seconds to make; installations on one machine may share it. Default: the data folder." env:"GROUNDWORK_DRAWING_CACHE" type:"path" placeholder:"DIR"`
	Sandbox          string        `name:"drawing-sandbox" help:"Where the system cannot keep the process that reads drawings from all other files: strict does not start, relaxed reads them with weaker walls (default: ${sandbox})." env:"GROUNDWORK_DRAWING_SANDBOX" default:"${sandbox}" enum:"strict,relaxed" placeholder:"strict|relaxed"`
	Recognition      string        `help:"What recognises the letters of scanned and outlined drawings: auto uses Tesseract where the system has it, off nothing, anything else is the path of the program." env:"GROUNDWORK_RECOGNITION" default:"auto" placeholder:"auto|off|PATH"`
	LogLevel         slog.Level    `help:"What is logged to standard error: debug, info, warn or error." env:"GROUNDWORK_LOG_LEVEL" default:"info" placeholder:"LEVEL"`
	LogFormat        string        `help:"How lines of the log are written: text, or json for programs." env:"GROUNDWORK_LOG_FORMAT" default:"text" enum:"text,json" placeholder:"text|json"`

	Serve   serveCommand `cmd:"" help:"Start the service."`
	Account struct {
		Create        accountCreate  `cmd:"" help:"Create an account; prints its uid."`
		List          accountList    `cmd:"" help:"List all accounts."`
		Disable       accountDisable `cmd:"" help:"Shut an account out everywhere, or let it in again."`
		Prove         accountProve   `cmd:"" help:"Say that an address belongs to whoever has its account, so that every project that has invited it is open to them."`
		Show          accountShow    `cmd:"" help:"Say what is known of an account, and whether letters to it arrive."`
		ResetPassword accountReset   `cmd:"" help:"Give an account a new password, or print a link that does."`
		Erase         accountErase   `cmd:"" help:"Erase a person for good: name and address are replaced everywhere, what they did stays. Prints a proof."`
	} `cmd:"" help:"Accounts."`
	Project struct {
		List    projectList    `cmd:"" help:"List all projects, those that are to be erased and those that are held."`
		Erase   projectErase   `cmd:"" help:"Close a project now, and erase it for good after a while."`
		Keep    projectKeep    `cmd:"" help:"Take the erasure of a project back that has not begun."`
		Hold    projectHold    `cmd:"" help:"Hold a project: nothing of it is forgotten, whatever rule or wish there is."`
		Release projectRelease `cmd:"" help:"End the hold of a project."`
	} `cmd:"" help:"Projects."`
	Erased erasedCommand `cmd:"" help:"Print what was erased for good, as lines that groundwork restore --erased reads."`
	Audit  auditCommand  `cmd:"" help:"Print who had what erased, held and kept no longer."`
	Key    struct {
		Create keyCreate `cmd:"" help:"Create an API key; prints it, for the only time."`
		List   keyList   `cmd:"" help:"List all keys."`
		Revoke keyRevoke `cmd:"" help:"Deactivate a key."`
	} `cmd:"" help:"API keys."`
	App struct {
		Create appCreate `cmd:"" help:"Register an OAuth application; prints it as JSON, its secret for the only time."`
		List   appList   `cmd:"" help:"List all applications."`
		Delete appDelete `cmd:"" help:"Delete an application; whoever uses it is shut out."`
	} `cmd:"" help:"OAuth applications."`
	Sheets struct {
		Upload sheetsUpload `cmd:"" help:"Upload a set of drawings, and print what was read."`
	} `cmd:"" help:"Drawings."`
	Packet packetCommand `cmd:"" help:"Put sheets together into one PDF, for somebody."`
	Report reportCommand `cmd:"" help:"Make a report of issues, or of field reports, for somebody."`
	Backup struct {
		Make   backupMake   `cmd:"" default:"withargs" help:"Copy the database and all files as they are now to another place, also while a server runs."`
		List   backupList   `cmd:"" help:"List the backups at a place."`
		Verify backupVerify `cmd:"" help:"Read everything of a backup and say what is missing or damaged."`
	} `cmd:"" help:"Backups."`
	Restore restoreCommand `cmd:"" help:"Make a new installation of a backup, on either database."`
	Export  exportCommand  `cmd:"" help:"Write the archive of a project, everything of it in one file, also while a server runs."`
	Import  importCommand  `cmd:"" help:"Bring the project of an archive, or files of another service, into this installation. Nothing is sent to anybody."`
	Mirror  mirrorCommand  `cmd:"" help:"Copy projects from another server that speaks this API, and hold both against each other. Repeat it to bring them up to date."`
	Follow  followCommand  `cmd:"" help:"Write the changes and files of another server's projects into a folder, each once, and go on for ever."`
	Setting struct {
		Check configCheck `cmd:"" help:"Say what is wrong with the settings: unknown names, wrong values, files that others can read."`
	} `cmd:"" name:"config" help:"Settings."`
	Mail struct {
		Test   mailTest   `cmd:"" help:"Send a letter to an address, and say how that went."`
		Bounce mailBounce `cmd:"" help:"Read from standard input that a letter came back, as mail servers report it. For a pipe of your mail server."`
		Clear  mailClear  `cmd:"" help:"Say that letters to an address arrive, which came back before."`
	} `cmd:"" help:"Mail."`
	Certificate certificateCommand `cmd:"" help:"Certificates that come by themselves (--tls-domain)."`

	Doctor  doctorCommand  `cmd:"" help:"Look for what is wrong: configuration, database, clock, disk."`
	Ready   readyCommand   `cmd:"" help:"Ask the server that listens on --listen whether it can serve: for those who watch containers and services."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// call is what a command gets: an open installation and its streams.
type call struct {
	app.Streams
	app *app.App
}

// line is a command line that was understood.
type line struct {
	cli
	args     []string
	chosen   *kong.Context
	settings *settings // nil where the file is not read
}

// do runs the chosen command in this process.
func (l *line) do(ctx context.Context, s app.Streams, a *app.App) error {
	l.chosen.BindTo(ctx, (*context.Context)(nil))
	return l.chosen.Run(&call{s, a})
}

// The exit codes beside 0.
const (
	exitFailure = 1
	exitUsage   = 2
)

// parse reads a command line, and with file the settings that a file has. When there is nothing to run, after --help or
// an error that was printed, the line is nil.
func parse(args []string, s app.Streams, file bool) (l *line, exit int) {
	l = &line{args: args}
	var resolvers []kong.Resolver
	if file {
		l.settings = &settings{}
		resolvers = append(resolvers, l.settings)
	}
	type ended int
	defer func() {
		switch p := recover().(type) {
		case nil:
		case ended:
			l, exit = nil, int(p)
		default:
			panic(p)
		}
	}()
	parser, err := kong.New(&l.cli, append(worded(),
		kong.Name("groundwork"),
		kong.Description("A self-hosted service for construction project data."),
		filled(map[string]string{
			"sandbox": app.DefaultSandbox(), "data": app.DefaultData, "listen": app.DefaultListen,
			"secure_listen": app.SecureListen, "http_listen": certificate.DefaultHTTP, "keep_jobs": app.DefaultKeepJobs.String(),
			"invitations": strconv.Itoa(identity.DefaultInvitations), "token_life": auth.DefaultTokenLife.String(),
			"erase_after":  "30d",
			"backup_every": app.DefaultBackupEvery.String(),
			"max_streams":  strconv.Itoa(api.DefaultStreams),
			"max_file":     app.DefaultMaxFile.String(), "max_projects": strconv.Itoa(identity.DefaultMostProjects),
			"link_period": app.DefaultLinkPeriod.String(), "database_help": app.DatabaseHelp,
			"database_owner_help": app.DatabaseOwnerHelp, "blob_help": app.BlobHelp, "mail_help": app.MailHelp,
		}),
		kong.Writers(s.Out, s.Err),
		kong.Exit(func(code int) { panic(ended(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Resolvers(resolvers...))...,
	)
	if err == nil && slices.ContainsFunc(args, func(arg string) bool { return !utf8.ValidString(arg) }) {
		err = fmt.Errorf("the command line is not valid UTF-8")
	}
	if len(args) > 0 && args[0] == "--version" { // not an option of every command: sheets upload has one of that name
		args = append([]string{"version"}, args[1:]...)
	}
	if err == nil {
		if checked(args) >= 0 {
			leaveVariables(parser)
		}
		l.chosen, err = parser.Parse(args)
	}
	if err != nil && file && l.settings.err() != nil {
		return nil, finish(s, 0, l.settings.err())
	}
	if err != nil {
		fmt.Fprintf(s.Err, "groundwork: %s\n", misread(err))
		return nil, exitUsage
	}
	return l, 0
}

// config is the configuration that the line and the environment give.
func (l *line) config(s app.Streams) (app.Config, error) {
	c := app.Config{
		Data: l.Data, DatabaseURL: l.DatabaseURL, DatabaseOwnerURL: l.DatabaseOwnerURL, BlobURL: l.BlobURL,
		MailURL: l.MailURL, MailFrom: strings.TrimSpace(l.MailFrom),
		MailDKIMKey: l.MailDKIMKey, MailDKIMSelector: strings.TrimSpace(l.MailDKIMSelector),
		MailDNS: strings.TrimSpace(l.MailDNS), Version: release(), Now: plantedClock(),
		RelaxedDrawing: l.Sandbox == "relaxed", DrawingCache: l.DrawingCache, Recognition: l.Recognition,
		// Not an option: other users of the machine can read command lines.
		Secret:       l.settings.secret("secret"),
		MetricsToken: l.settings.secret("metrics_token"),
		Log:          slog.New(trace.Logged(l.handler(s))),
	}
	network := l.network()
	if network == nil {
		return c, nil
	}
	if l.chosen.Command() == "doctor" {
		// A server that owns its folder answers for itself; of others it is known where their backups lie by the same
		// settings.
		if c.Backups.To = string(l.settings.secret("backup_to")); c.Backups.To != "" {
			var err error
			if c.Backups.To, err = wholePlace(c.Backups.To); err != nil {
				return c, err
			}
		}
	}
	return c, network.apply(&c)
}

// handler writes the lines of the log in the form that was asked for.
func (l *line) handler(s app.Streams) slog.Handler {
	options := &slog.HandlerOptions{Level: l.LogLevel}
	if l.LogFormat == "json" {
		// Programs compare numbers: how long something took is in seconds.
		options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr {
			if a.Value.Kind() == slog.KindDuration {
				a.Value = slog.Float64Value(a.Value.Duration().Seconds())
			}
			return a
		}
		return slog.NewJSONHandler(s.Err, options)
	}
	return slog.NewTextHandler(s.Err, options)
}

// network gives the options of the commands that look outside.
func (l *line) network() *network {
	switch name, _, _ := strings.Cut(l.chosen.Command(), " "); name {
	case "serve":
		return &l.Serve.network
	case "doctor":
		return &l.Doctor.network
	case "ready":
		return &l.Ready.network
	case "certificate":
		return &l.Certificate.network
	}
	return nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/blob"
	"groundwork/internal/certificate"
	"groundwork/internal/credential"
	"groundwork/internal/forget"
	"groundwork/internal/redact"
)

// Config is what a person says of an installation. The zero value of a field means its default, except of Data.
type Config struct {
	// Data is the folder that holds everything of an installation without a database server.
	Data string
	// DatabaseURL may hold a password. Default: a database file in Data.
	DatabaseURL redact.Secret
	// DatabaseOwnerURL has the role that owns the tables of a database server, where that of DatabaseURL does not. It
	// may hold a password.
	DatabaseOwnerURL redact.Secret
	// BlobURL says where uploaded files lie. Default: a folder in Data.
	BlobURL redact.Secret
	// MaxFile is the largest file that is taken. Default: 5 GB.
	MaxFile Size
	// ProjectQuota is what all files of a project may take. Default: no bound.
	ProjectQuota Size
	// MaxProjects is on how many teams an account may be; 0 is no bound. Serving has auth.DefaultMostProjects where
	// nothing is said.
	MaxProjects int
	// LinkPeriod is how long a link to a file stays the same; it is good for one to two of it. Default: an hour.
	LinkPeriod time.Duration
	// Secret signs instead of the one in the database.
	Secret redact.Secret
	// MetricsToken lets its bearer see the metrics. Default: callers on this machine see them, where the service is
	// offered on this machine alone.
	MetricsToken redact.Secret
	// Limits are those of keys that have none of their own.
	Limits []credential.Limit
	// SessionLimits are those of people in browsers.
	SessionLimits []credential.Limit
	// Streams is how many event streams may be open at once. Default: 4,096.
	Streams int
	// MailURL is the server that mail is handed over to, and may hold a password. Default: mail goes to the log.
	MailURL redact.Secret
	// MailFrom is who mail is from; needed with MailURL.
	MailFrom string
	// MailDKIMKey is a file with the key that mail is signed with; MailDKIMSelector is the name under which the
	// sender's domain publishes the key that mail is signed with, here or by the mail server.
	MailDKIMKey, MailDKIMSelector string
	// MailDNS is the server that is asked what the sender's domain publishes. Default: the system's.
	MailDNS string
	// Invitations is how many people an account may invite within an hour. Default: 100.
	Invitations int
	// TokenLife is how long an application's access token lives. Default: 48 hours.
	TokenLife time.Duration
	// StrictRefresh has applications show their secret to renew a token.
	StrictRefresh bool
	// NoNotifications writes to nobody about issues, RFIs and comments; invitations and passwords are still written
	// about.
	NoNotifications bool
	// RelaxedDrawing has drawings read also where the system cannot keep the process that reads them from all other
	// files.
	RelaxedDrawing bool
	// Recognition is how letters of scanned and outlined drawings are recognised, as drawing.Config has it. Default:
	// not at all.
	Recognition string
	// DrawingCache is where the compiled form of the PDF library is kept. Default: in Data.
	DrawingCache string
	// Backups is where the server puts backups of itself. Default: it makes none.
	Backups Backups
	// NoUpgradeCopy has the tables of a database of an earlier release changed without keeping it as it was.
	NoUpgradeCopy bool
	// Keep is how long deleted records and history are kept. Default: for ever.
	Keep forget.Rule
	// KeepJobs is how long background work is remembered after its end. Default: 30 days.
	KeepJobs time.Duration

	// Listen is the address to serve, host:port.
	Listen string
	// PublicURL is how the outside reaches the service. Default: the address it listens on.
	PublicURL string
	// TLSCert and TLSKey are files; both or neither.
	TLSCert, TLSKey string
	// Certificates are those that come by themselves, instead of files. Default: none do.
	Certificates certificate.Settings
	// Proxies are the only peers that are answered, when there are any.
	Proxies []netip.Prefix
	// Demo asks for an account and a project to try things with.
	Demo bool

	// Version is the release, for people and the API's description.
	Version string
	Log     *slog.Logger
	// Now is the clock, time.Now when nil; Pause passes time, really when nil; Trace sees every SQL statement;
	// ReadWithin is how long a page of a drawing may take, a minute when 0; CheapPasswords has their hashes cost
	// next to nothing. All serve tests.
	Now   func() time.Time
	Pause func(ctx context.Context, d time.Duration)
	Trace func(sql string)

	ReadWithin     time.Duration
	CheapPasswords bool
}

// The defaults of an installation, and what is said about them.
const (
	DefaultData   = "data"
	DefaultListen = "127.0.0.1:8080"
	// SecureListen is the default where certificates come by themselves.
	SecureListen = ":443"
	// DefaultKeepJobs is 30 days.
	DefaultKeepJobs      = 30 * 24 * time.Hour
	DefaultMaxFile  Size = 5e9
	// DefaultLinkPeriod makes links good for one to two hours.
	DefaultLinkPeriod = time.Hour

	DatabaseHelp = "The database: sqlite:FILE or postgres://… (default: sqlite:DATA/groundwork.db)."
	// DatabaseOwnerHelp is said of DatabaseOwnerURL.
	DatabaseOwnerHelp = "Of a PostgreSQL whose tables another role owns than the service logs in as: that role, postgres://USER:PASSWORD@HOST/DATABASE. It migrates, and does nothing else."
	BlobHelp          = "Where uploaded files lie: file:FOLDER or s3://BUCKET/PREFIX?endpoint=URL (default: file:DATA/files)."
	MailHelp          = "The mail server: smtp://USER:PASSWORD@HOST:PORT or smtps://… (default: mail goes to the log)."
)

// DefaultSandbox is how drawings are read where nothing is said: on Linux behind walls or not at all; elsewhere, where
// no system has the means, with limits only, and the log and doctor say so.
func DefaultSandbox() string {
	if runtime.GOOS == "linux" {
		return "strict"
	}
	return "relaxed"
}

const (
	fileScheme   = "sqlite:"
	databaseFile = "groundwork.db"
	filesFolder  = "files"
	// certificateFolder holds certificates that came by themselves, their keys, and the account at the authority.
	certificateFolder = "tls"
	// drawingFolder holds what is being read, and nothing that is missed.
	drawingFolder = "drawing"
)

// settled gives the configuration with its defaults filled in; an error says what cannot be meant.
func (c Config) settled() (Config, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Data == "" {
		return c, errors.New("No data folder is given: use --data DIR.")
	}
	folder, err := filepath.Abs(c.Data)
	if err != nil {
		return c, err
	}
	c.Data = folder
	if c.DatabaseURL == "" {
		c.DatabaseURL = redact.Secret(fileScheme + filepath.Join(c.Data, databaseFile))
	}
	if c.BlobURL == "" {
		c.BlobURL = redact.Secret("file:" + filepath.Join(c.Data, filesFolder))
	}
	certificates, wrong := c.Certificates.Settled(filepath.Join(c.Data, certificateFolder))
	if c.Certificates = certificates; c.Listen == "" && c.Certificates.Wanted() {
		c.Listen = SecureListen
	}
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	if c.MaxFile == 0 {
		c.MaxFile = DefaultMaxFile
	}
	if c.LinkPeriod == 0 {
		c.LinkPeriod = DefaultLinkPeriod
	}
	if c.TokenLife == 0 {
		c.TokenLife = auth.DefaultTokenLife
	}
	if c.Streams < 0 {
		return c, errors.New("The number of event streams cannot be negative: --max-streams.")
	}
	if c.KeepJobs == 0 {
		c.KeepJobs = DefaultKeepJobs
	}
	if c.Backups.Every == 0 {
		c.Backups.Every = DefaultBackupEvery
	}
	files := spelled(c.BlobURL, blob.CheckURL(string(c.BlobURL)))
	return c, errors.Join(wrong, c.checkBackups(), c.checkDatabase(), files, c.checkWork(), c.checkFiles(),
		c.Keep.Check())
}

// file is the path of a database that one process owns; it is empty for a database server, which many may share.
func (c Config) file() string {
	path, local := strings.CutPrefix(string(c.DatabaseURL), fileScheme)
	if !local {
		return ""
	}
	path = strings.TrimPrefix(path, "//")
	full, err := filepath.Abs(path)
	if path == "" || err != nil {
		return path
	}
	return full
}

// servers are the schemes of database servers.
var servers = []string{"postgres", "postgresql"}

func (c Config) checkDatabase() error {
	text := string(c.DatabaseURL)
	if strings.HasPrefix(text, fileScheme) {
		if c.file() == "" {
			return errors.New("The database URL sqlite: names no file; write sqlite:FILE.")
		}
		if c.DatabaseOwnerURL != "" {
			return errors.New("--database-owner-url is for PostgreSQL: a database file has no owner to log in as. Leave it out.")
		}
		return nil
	}
	if owner, err := url.Parse(string(c.DatabaseOwnerURL)); c.DatabaseOwnerURL != "" && (err != nil ||
		!slices.Contains(servers, owner.Scheme)) {
		return spelled(c.DatabaseOwnerURL, errors.New("The URL of the database's owner must be postgres://USER:PASSWORD@HOST/DATABASE."))
	}
	u, err := url.Parse(text)
	if err != nil || !slices.Contains(servers, u.Scheme) || u.Fragment != "" {
		// The text itself stays out of the message: it may hold a password.
		return spelled(c.DatabaseURL, errors.New("The database URL must be sqlite:FILE or postgres://USER:PASSWORD@HOST/DATABASE."))
	}
	return nil
}

// special are the characters that end a user or a password in a URL, and those that none may have.
var special = regexp.MustCompile(`[^!$&'()*+,;=:._~A-Za-z0-9%-]|%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)

// spelled adds to the sentence on a URL how special characters of a password are written, where it has some.
func spelled(text redact.Secret, err error) error {
	_, rest, _ := strings.Cut(string(text), "://")
	at := strings.LastIndexByte(rest, '@')
	if err == nil || at < 0 || !special.MatchString(rest[:at]) {
		return err
	}
	return fmt.Errorf("%w Write special characters of user and password as %%XX: # is %%23, %% is %%25, / is %%2F, @ is %%40.", err)
}

// ParseProxies reads addresses and networks, such as 10.0.0.5 and 10.0.0.0/8.
func ParseProxies(texts []string) ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if addr, err := netip.ParseAddr(text); err == nil {
			addr = addr.Unmap().WithZone("")
			proxies = append(proxies, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("The trusted proxy %q is neither an address nor a network such as 10.0.0.0/8.", text)
		}
		if addr := network.Addr(); addr.Is4In6() && network.Bits() >= 96 {
			network = netip.PrefixFrom(addr.Unmap(), network.Bits()-96) // peers are compared in their plain form
		}
		proxies = append(proxies, network.Masked())
	}
	return proxies, nil
}

package certificate

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3"
)

const (
	// lookEvery is how often it is looked whether another process has stored a newer certificate.
	lookEvery = 10 * time.Second
	// nobody is an e-mail address that the library takes for one that was given, and that is empty: without it, it
	// would ask whoever sits at the terminal.
	nobody = " "
)

// again is how long after a failure it is tried again: five attempts in the first hour, as many as authorities allow.
var again = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
}

// Keeper obtains and renews certificates, and serves them. It is made by Open.
type Keeper struct {
	settings Settings
	log      *slog.Logger
	known    map[string]bool // the domains
	config   *certmagic.Config
	cache    *certmagic.Cache
	issuer   *certmagic.ACMEIssuer

	loading  sync.Mutex // one certificate is loaded at a time
	mu       sync.Mutex
	troubles map[string]time.Time // since when a domain's certificate fails, as far as the log was told
	failures map[string]int       // how often it failed since the start
	loaded   map[string]time.Time // when the certificate that is served was stored
	told     map[string]string    // which certificate the log has
	wake     map[string]chan struct{}
}

// Open takes the folder and loads the certificates that it has; it asks for settled settings. secure and plain are the
// addresses on which TLS and plain HTTP are, or would be, listened on.
func Open(ctx context.Context, s Settings, secure, plain string, log *slog.Logger) (*Keeper, error) {
	if err := takeFolder(s.Folder); err != nil {
		return nil, err
	}
	pool, err := s.pool()
	if err != nil {
		return nil, err
	}
	host, port, err := split(secure)
	if err != nil {
		return nil, err
	}
	_, plainPort, err := split(plain)
	if s.plain() && err != nil {
		return nil, err
	}
	k := &Keeper{
		settings: s, log: log, known: map[string]bool{}, troubles: map[string]time.Time{}, failures: map[string]int{},
		loaded: map[string]time.Time{}, told: map[string]string{}, wake: map[string]chan struct{}{},
	}
	words := details(log)
	k.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert:   func(certmagic.Certificate) (*certmagic.Config, error) { return k.config, nil },
		RenewCheckInterval: s.every, Logger: words,
	})
	k.config = certmagic.New(k.cache, certmagic.Config{
		Storage: &certmagic.FileStorage{Path: s.Folder}, DefaultServerName: s.Domains[0], OnEvent: k.event,
		RenewalWindowRatio: s.window, Logger: words,
	})
	k.issuer = certmagic.NewACMEIssuer(k.config, certmagic.ACMEIssuer{
		CA: s.Directory, Email: cmp.Or(s.Email, nobody), Agreed: s.Agreed, TrustedRoots: pool, Logger: words,
		DisableHTTPChallenge: !s.plain() || s.Challenge == ALPN01, DisableTLSALPNChallenge: s.Challenge == HTTP01,
		ListenHost: host, AltTLSALPNPort: port, AltHTTPPort: plainPort,
	})
	k.config.Issuers = []certmagic.Issuer{k.issuer}
	for _, domain := range s.Domains {
		k.known[domain], k.wake[domain] = true, make(chan struct{}, 1)
		if _, err := k.load(ctx, domain); err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Error("a stored certificate cannot be used; another one is obtained", "domain", domain, "error", err)
		}
	}
	return k, nil
}

// own are the names of what lies in the folder, which may be a disk of its own.
var own = map[string]bool{"acme": true, "certificates": true, "failures": true, "locks": true, "ocsp": true, "lost+found": true}

// takeFolder makes the folder for this user alone. One that has anything of others stays as it is: they may need it.
func takeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("The folder of the certificates, %s, cannot be made: %w. Choose another with --tls-folder.", folder,
			err)
	}
	info, err := os.Stat(folder)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		var all []os.DirEntry
		all, err = os.ReadDir(folder)
		for _, e := range all {
			if !own[e.Name()] {
				return fmt.Errorf("The folder of the certificates, %s, must be for this user alone, and others can read it. It has things in it that are not of this service, such as %s: choose another with --tls-folder, or run: chmod 700 %s", folder, e.Name(), folder)
			}
		}
		if err == nil {
			err = os.Chmod(folder, 0o700)
		}
	}
	if err != nil {
		return fmt.Errorf("The folder of the certificates, %s, must be for this user alone: %w. Run: chmod 700 %s", folder,
			err, folder)
	}
	return nil
}

func split(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	return host, port, err
}

// Close ends what Open began. What was loaded can still be served.
func (k *Keeper) Close() { k.cache.Stop() }

// TLS serves the certificates. Who asks for a name that is not among the domains gets none.
func (k *Keeper) TLS() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1", acmez.ACMETLS1Protocol},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if name := canonical(hello.ServerName); name != "" && !k.known[name] {
				return nil, nil // crypto/tls says that the name is not recognized
			}
			return k.config.GetCertificate(hello)
		},
	}
}

// Run obtains what is missing and renews what is due, until ctx ends. What cannot be obtained is tried again; meanwhile
// what there is is served. Both addresses must be listened on.
func (k *Keeper) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, domain := range k.settings.Domains {
		all.Go(func() { k.obtain(ctx, domain) })
	}
	// What came due while nothing ran is not left for the library's next look.
	if err := k.cache.RenewManagedCertificates(ctx); err != nil {
		k.log.Error("certificates cannot be renewed", "error", err)
	}
	k.follow(ctx)
	all.Wait()
}

// obtain asks for the certificate of a domain until there is one.
func (k *Keeper) obtain(ctx context.Context, domain string) {
	for attempt := 0; !k.holds(domain); attempt++ {
		// The library tries a further attempt at a test authority first, where there is one.
		asking := context.WithValue(ctx, certmagic.AttemptsCtxKey, &attempt)
		err := k.attempt(ctx, domain, func() error { return k.config.ObtainCertSync(asking, domain) })
		if err != nil && errors.Is(err, errUnusable) {
			err = k.attempt(ctx, domain, func() error { return k.config.RenewCertSync(asking, domain, true) })
		}
		if err == nil {
			return
		}
		timer := time.NewTimer(cmp.Or(k.settings.again, again[min(attempt, len(again)-1)]))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-k.wake[domain]:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// errUnusable is that what is stored cannot be served.
var errUnusable = errors.New("the stored certificate cannot be used")

// attempt has a certificate stored, and serves it. It notes failures of which the library tells nobody.
func (k *Keeper) attempt(ctx context.Context, domain string, store func() error) error {
	before := k.Failures(domain)
	err := store()
	if err == nil {
		if _, err = k.load(ctx, domain); err != nil {
			err = fmt.Errorf("%w: %w", errUnusable, err)
		}
	}
	if err != nil && k.Failures(domain) == before {
		k.failed(domain, err)
	}
	return err
}

// follow loads what other processes store.
func (k *Keeper) follow(ctx context.Context) {
	tick := time.NewTicker(cmp.Or(k.settings.look, lookEvery))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, domain := range k.settings.Domains {
			info, err := os.Stat(k.settings.path(domain))
			if err != nil || info.ModTime().Equal(k.loadedAt(domain)) {
				continue
			}
			// It is half written, perhaps: then it is loaded at the next look.
			if changed, err := k.load(ctx, domain); err == nil && changed {
				k.over(domain)
			}
		}
	}
}

// load serves the certificate that is stored, and none before it. It tells whether that is another one than before.
func (k *Keeper) load(ctx context.Context, domain string) (changed bool, err error) {
	k.loading.Lock()
	defer k.loading.Unlock()
	info, err := os.Stat(k.settings.path(domain))
	if err != nil {
		return false, err
	}
	before := k.cache.AllMatchingCertificates(domain)
	current, err := k.config.CacheManagedCertificate(ctx, domain)
	if err != nil {
		return false, err
	}
	changed = true
	var old []string
	for _, c := range before {
		if c.Hash() == current.Hash() {
			changed = false
		} else {
			old = append(old, c.Hash())
		}
	}
	k.cache.Remove(old)
	k.mu.Lock()
	k.loaded[domain] = info.ModTime()
	k.mu.Unlock()
	select {
	case k.wake[domain] <- struct{}{}: // whoever waits to try again need not
	default:
	}
	return changed, nil
}

func (k *Keeper) loadedAt(domain string) time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.loaded[domain]
}

// holds tells whether a certificate of the domain is served.
func (k *Keeper) holds(domain string) bool { return len(k.cache.AllMatchingCertificates(domain)) > 0 }

// Failures is how often a certificate could not be obtained or renewed since the start.
func (k *Keeper) Failures(domain string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.failures[domain]
}

// event is told by the library how its attempts end.
func (k *Keeper) event(_ context.Context, name string, data map[string]any) error {
	domain, _ := data["identifier"].(string)
	switch name {
	case "cert_obtained":
		k.over(domain)
	case "cert_failed":
		err, _ := data["error"].(error)
		k.failed(domain, err)
	}
	return nil
}

// failed notes that there is no new certificate. The log has a line for the first failure of many.
func (k *Keeper) failed(domain string, err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	now := time.Now()
	k.mu.Lock()
	k.failures[domain]++
	_, told := k.troubles[domain]
	if !told {
		k.troubles[domain] = now
	}
	k.mu.Unlock()
	if !told {
		k.log.Error("a certificate cannot be obtained; it is tried again, and what there is is served", "domain", domain,
			"why", why(err))
	}
	if err := k.settings.keepFailure(domain, now, why(err)); err != nil {
		k.log.Error("the folder of the certificates cannot be written to", "error", err)
	}
}

// over notes that there is a new certificate. The log has a line for each.
func (k *Keeper) over(domain string) {
	if err := k.settings.forgetFailure(domain); err != nil {
		k.log.Error("the folder of the certificates cannot be written to", "error", err)
	}
	leaf, err := k.settings.stored(domain)
	if err != nil {
		return // it is replaced in this moment; whoever does that tells
	}
	serial := leaf.SerialNumber.Text(16)
	k.mu.Lock()
	since, troubled := k.troubles[domain]
	delete(k.troubles, domain)
	known := k.told[domain] == serial
	k.told[domain] = serial
	k.mu.Unlock()
	if known {
		return
	}
	values := []any{"domain", domain, "issuer", leaf.Issuer.CommonName, "until", leaf.NotAfter}
	if troubled {
		values = append(values, "failed_for", time.Since(since).Round(time.Second))
	}
	k.log.Info("a certificate was obtained", values...)
}

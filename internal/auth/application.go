package auth

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Application is a program that people can let act for them.
type Application struct {
	UID        string // the client identifier
	Owner      string // the address of the account that registered it; "" for the operator
	Name       string
	Logo       string // data:image/…;base64,…, or ""
	Redirects  []string
	Public     bool // it cannot keep a secret, and has none
	Implicit   bool // it may be given tokens without a code
	CreatedAt  int64
	secretHash string
}

// NewApplication is what is said of an application to be registered, or changed.
type NewApplication struct {
	Name      string
	Logo      string
	Redirects []string
	Public    bool
	Implicit  bool
}

const (
	mostAppName   = 100 // characters
	mostRedirects = 20
	mostLogo      = 64 << 10 // bytes of the picture
)

func (n *NewApplication) check() error {
	problems := map[string]string{}
	if strings.TrimSpace(n.Name) == "" || utf8.RuneCountInString(n.Name) > mostAppName || !printable(n.Name) {
		problems["name"] = "An application needs a name, of at most 100 characters and without control characters."
	}
	if len(n.Redirects) == 0 || len(n.Redirects) > mostRedirects {
		problems["redirect_uris"] = "An application needs 1 to 20 redirect URIs."
	}
	for _, uri := range n.Redirects {
		if problem := redirectProblem(uri); problem != "" {
			problems["redirect_uris"] = problem
		}
	}
	if n.Logo != "" && logoOf(n.Logo) == nil {
		problems["logo"] = "A logo is a PNG, JPEG, GIF or WebP picture of at most 64 KiB, as data:image/png;base64,…"
	}
	if len(problems) > 0 {
		return fault.Fields(problems)
	}
	return nil
}

// pictures are the kinds of pictures that a logo may be, as browsers recognise them. None of them can carry a script.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Picture gives the logo's content type and bytes; nothing where there is none.
func (a *Application) Picture() (kind string, picture []byte) {
	if picture = logoOf(a.Logo); picture == nil {
		return "", nil
	}
	kind, _, _ = strings.Cut(strings.TrimPrefix(a.Logo, "data:"), ";")
	return kind, picture
}

func logoOf(text string) []byte {
	_, body, _ := strings.Cut(text, ",")
	if len(body) > base64.StdEncoding.EncodedLen(mostLogo) {
		return nil
	}
	picture, err := base64.StdEncoding.DecodeString(body)
	if err != nil || text == "" || LogoFrom(picture) != text { // the decoder passes over line breaks, and the kind may be another
		return nil
	}
	return picture
}

// LogoFrom makes a logo of an uploaded picture; "" when it is none that is taken.
func LogoFrom(picture []byte) string {
	kind := http.DetectContentType(picture)
	if !slices.Contains(pictures, kind) || len(picture) > mostLogo {
		return ""
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(picture)
}

// CreateApplication registers an application for an account, or for the operator where owner is "". The secret is given for the only time; a public
// application has none. also runs in the transaction, where it is not nil. fault.Invalid for what cannot be registered.
func (a *Auth) CreateApplication(ctx context.Context, owner string, n NewApplication, also func(tx *store.Tx, uid string) error) (app *Application, secret string, err error) {
	if err := n.check(); err != nil {
		return nil, "", err
	}
	var hash any
	if !n.Public {
		var kept string
		secret, kept = NewSecret(KindClient)
		hash = kept
	}
	uid := uuid.NewString()
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		err := tx.Exec(`INSERT INTO applications (uid, owner, name, logo, redirects, secret, public, implicit, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			uid, optional(owner), n.Name, optional(n.Logo), strings.Join(n.Redirects, "\n"), hash, n.Public, n.Implicit, tx.Now())
		if err != nil || also == nil {
			return err
		}
		return also(tx, uid)
	})
	if err != nil {
		return nil, "", err
	}
	app, err = a.Application(ctx, uid)
	return app, secret, err
}

const appColumns = `SELECT p.uid, coalesce(a.email, ''), p.name, coalesce(p.logo, ''), p.redirects, p.public, p.implicit, p.created_at, coalesce(p.secret, '')
FROM applications p LEFT JOIN accounts a ON a.uid = p.owner WHERE p.deleted_at IS NULL`

func readApp(c *store.Cols) Application {
	return Application{
		UID: c.Text(0), Owner: c.Text(1), Name: c.Text(2), Logo: c.Text(3), Redirects: strings.Split(c.Text(4), "\n"),
		Public: c.Int(5) != 0, Implicit: c.Int(6) != 0, CreatedAt: c.Int(7), secretHash: c.Text(8),
	}
}

// Application finds an application by its client identifier: fault.NotFound when there is none.
func (a *Auth) Application(ctx context.Context, uid string) (*Application, error) {
	found, err := a.apps(ctx, ` AND p.uid = $1`, uid)
	if err == nil && len(found) == 0 {
		return nil, fault.Missing("Application", strings.ToValidUTF8(uid, "\uFFFD"))
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// ApplicationOf finds an application of an account: fault.NotFound for another's.
func (a *Auth) ApplicationOf(ctx context.Context, owner, uid string) (*Application, error) {
	all, err := a.ApplicationsOf(ctx, owner)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].UID == uid {
			return &all[i], nil
		}
	}
	return nil, fault.Missing("Application", strings.ToValidUTF8(uid, "\uFFFD"))
}

// ApplicationsOf lists the applications that an account registered, oldest first.
func (a *Auth) ApplicationsOf(ctx context.Context, owner string) ([]Application, error) {
	return a.apps(ctx, ` AND p.owner = $1`, owner)
}

// Applications lists all applications, oldest first.
func (a *Auth) Applications(ctx context.Context) ([]Application, error) { return a.apps(ctx, ``) }

func (a *Auth) apps(ctx context.Context, where string, args ...any) (all []Application, err error) {
	for _, arg := range args {
		if !printable(arg.(string)) {
			return nil, nil // an engine could refuse to compare it
		}
	}
	err = a.store.Query(ctx, appColumns+where+` ORDER BY p.created_at, p.uid`, args, func(c *store.Cols) error {
		all = append(all, readApp(c))
		return nil
	})
	return all, err
}

// UpdateApplication changes what is said of an application; whether it is public stays. fault.Invalid for what cannot be said.
func (a *Auth) UpdateApplication(ctx context.Context, uid string, n NewApplication) error {
	if err := n.check(); err != nil {
		return err
	}
	return a.write(ctx, func(tx *store.Tx) error {
		return tx.Exec(`UPDATE applications SET name = $1, logo = $2, redirects = $3, implicit = $4 WHERE uid = $5`,
			n.Name, optional(n.Logo), strings.Join(n.Redirects, "\n"), n.Implicit, uid)
	})
}

// RotateSecret gives an application another secret; the one before is worthless from now on. fault.Invalid for a public application.
func (a *Auth) RotateSecret(ctx context.Context, app *Application) (secret string, err error) {
	if app.Public {
		return "", fault.New(fault.Invalid, "The application is public: it has no secret.")
	}
	secret, hash := NewSecret(KindClient)
	return secret, a.store.Write(ctx, func(tx *store.Tx) error {
		return tx.Exec(`UPDATE applications SET secret = $1 WHERE uid = $2`, hash, app.UID)
	})
}

// DeleteApplication ends an application and everything that anybody allowed it. fault.NotFound for an unknown one.
func (a *Auth) DeleteApplication(ctx context.Context, uid string) error {
	if _, err := a.Application(ctx, uid); err != nil {
		return err
	}
	return a.write(ctx, func(tx *store.Tx) error {
		if err := tx.Exec(`UPDATE applications SET deleted_at = $1 WHERE uid = $2`, tx.Now(), uid); err != nil {
			return err
		}
		return tx.Exec(`UPDATE grants SET revoked_at = $1 WHERE application = $2 AND revoked_at IS NULL`, tx.Now(), uid)
	})
}

// Proves tells whether a secret is the application's.
func (a *Application) Proves(secret string) bool {
	return !a.Public && ValidSecret(KindClient, secret) && subtle.ConstantTimeCompare([]byte(Hash(secret)), []byte(a.secretHash)) == 1
}

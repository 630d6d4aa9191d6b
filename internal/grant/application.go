package grant

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
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
	// By is the Origin of the credential that registers it, which must be good still; "" where the operator does.
	By string
}

const (
	mostAppName   = 100 // characters
	mostRedirects = 20
	mostLogo      = 64 << 10 // bytes of the picture
	// mostApplications is how many an account may have registered at once.
	mostApplications = 50
)

func (n *NewApplication) check() error {
	problems := map[string]string{}
	if strings.TrimSpace(n.Name) == "" || utf8.RuneCountInString(n.Name) > mostAppName || !identity.Printable(n.Name) {
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
	// the decoder passes over line breaks, and the kind may be another
	if err != nil || text == "" || LogoFrom(picture) != text {
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

// CreateApplication registers an application for an account, or for the operator where owner is "". The secret is given
// for the only time; a public application has none. also runs in the transaction, where it is not nil. fault.Invalid
// for what cannot be registered.
func (a *Grants) CreateApplication(ctx context.Context, owner string, n NewApplication,
	also func(tx *store.Tx, uid string) error,
) (app *Application, secret string, err error) {
	if err := n.check(); err != nil {
		return nil, "", err
	}
	var hash any
	if !n.Public {
		var kept string
		secret, kept = credential.NewSecret(credential.KindClient)
		hash = kept
	}
	uid := uuid.NewString()
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		err := tx.Exec(`INSERT INTO applications (uid, owner, name, logo, redirects, secret, public, implicit,
created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			uid, store.OrNull(owner), n.Name, store.OrNull(n.Logo), strings.Join(n.Redirects, "\n"), hash, n.Public, n.Implicit,
			tx.Now())
		if err == nil {
			err = credential.StillGood(tx, owner, n.By)
		}
		if err == nil {
			err = mayRegister(tx, owner)
		}
		if err == nil && also != nil {
			err = also(tx, uid)
		}
		if err != nil || owner == "" {
			return err
		}
		return a.tell(tx, owner, letter.Letter{Kind: letter.AboutRegister, What: n.Name})
	})
	if err != nil {
		return nil, "", err
	}
	app, err = a.Application(ctx, uid)
	return app, secret, err
}

// mayRegister is fault.Conflict when an account has more applications than it may, and fault.Forbidden when its address
// is not proven: people are asked to trust who registered it. The operator may have any number.
func mayRegister(tx *store.Tx, owner string) error {
	if owner == "" {
		return nil
	}
	account, err := identity.AccountIn(tx, owner)
	if err != nil {
		return err
	}
	if account == nil || !account.Proven {
		return fault.New(fault.Forbidden,
			"Your address is not proven, so that you cannot register applications. It is proven by a link that is sent to it, or by the operator of this service.")
	}
	has := int64(0)
	err = tx.Query(`SELECT count(*) FROM applications WHERE owner = $1 AND deleted_at IS NULL`, []any{owner},
		func(c *store.Cols) error {
			has = c.Int(0)
			return nil
		})
	if err == nil && has > mostApplications {
		err = fault.New(fault.Conflict,
			"This account has %d applications, which is as many as it may have. Delete one that is not used any more, then register the new one.", mostApplications)
	}
	return err
}

const appColumns = `SELECT p.uid, coalesce(a.email, ''), p.name, coalesce(p.logo, ''), p.redirects, p.public,
p.implicit, p.created_at, coalesce(p.secret, '')
FROM applications p LEFT JOIN accounts a ON a.uid = p.owner WHERE p.deleted_at IS NULL`

func readApp(c *store.Cols) Application {
	return Application{
		UID: c.Text(0), Owner: c.Text(1), Name: c.Text(2), Logo: c.Text(3), Redirects: strings.Split(c.Text(4), "\n"),
		Public: c.Int(5) != 0, Implicit: c.Int(6) != 0, CreatedAt: c.Int(7), secretHash: c.Text(8),
	}
}

// Application finds an application by its client identifier: fault.NotFound when there is none.
func (a *Grants) Application(ctx context.Context, uid string) (*Application, error) {
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
func (a *Grants) ApplicationOf(ctx context.Context, owner, uid string) (*Application, error) {
	found, err := a.apps(ctx, ` AND p.owner = $1 AND p.uid = $2`, owner, uid)
	if err == nil && len(found) == 0 {
		err = fault.Missing("Application", strings.ToValidUTF8(uid, "\uFFFD"))
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// ApplicationsOf lists the applications that an account registered, oldest first.
func (a *Grants) ApplicationsOf(ctx context.Context, owner string) ([]Application, error) {
	return a.apps(ctx, ` AND p.owner = $1 ORDER BY p.created_at, p.uid`, owner)
}

// Applications lists applications of everybody, oldest first: at most so many of those that come after one of them, by
// its uid, or from the first on where that is "".
func (a *Grants) Applications(ctx context.Context, after string, most int) ([]Application, error) {
	if after == "" {
		return a.apps(ctx, ` ORDER BY p.created_at, p.uid LIMIT $1`, int64(most))
	}
	return a.apps(ctx, ` AND (p.created_at, p.uid) > (SELECT l.created_at, l.uid FROM applications l WHERE l.uid = $1)
ORDER BY p.created_at, p.uid LIMIT $2`, after, int64(most))
}

// EachApplication calls each with every application, oldest first, and reads them page by page.
func (a *Grants) EachApplication(ctx context.Context, each func(Application) error) error {
	return credential.EachOf(func(after string) ([]Application, error) {
		return a.Applications(ctx, after,
			credential.PageOf)
	},
		func(app *Application) string { return app.UID }, each)
}

func (a *Grants) apps(ctx context.Context, which string, args ...any) (all []Application, err error) {
	for _, arg := range args {
		if text, ok := arg.(string); ok && !identity.Printable(text) {
			return nil, nil // an engine could refuse to compare it
		}
	}
	err = a.store.Query(ctx, appColumns+which, args, func(c *store.Cols) error {
		all = append(all, readApp(c))
		return nil
	})
	return all, err
}

// Redirected tells whether a change has an application send people, or their tokens, elsewhere or otherwise. That needs
// the password: it lasts as a new secret does.
func (a *Application) Redirected(n NewApplication) bool {
	return a.Implicit != n.Implicit || !slices.Equal(a.Redirects, n.Redirects)
}

// UpdateApplication changes what is said of an application since it was read; whether it is public stays. Its owner is
// told where it is Redirected, for which the caller has asked for the password. fault.Invalid for what cannot be said.
func (a *Grants) UpdateApplication(ctx context.Context, had *Application, n NewApplication) error {
	if err := n.check(); err != nil {
		return err
	}
	return a.people.Change(ctx, func(tx *store.Tx) error {
		owner := ""
		err := tx.Query(`UPDATE applications SET name = $1, logo = $2 WHERE uid = $3 RETURNING coalesce(owner, '')`,
			[]any{n.Name, store.OrNull(n.Logo), had.UID}, func(c *store.Cols) error {
				owner = c.Text(0)
				return nil
			})
		if err == nil {
			err = credential.StillGood(tx, owner, n.By)
		}
		// What is as it was read is not written: whoever knows no password would undo what somebody changed since who
		// does.
		if err != nil || !had.Redirected(n) {
			return err
		}
		if err := tx.Exec(`UPDATE applications SET redirects = $1, implicit = $2 WHERE uid = $3`,
			strings.Join(n.Redirects, "\n"), n.Implicit, had.UID); err != nil || owner == "" {
			return err
		}
		return a.tell(tx, owner, letter.Letter{Kind: letter.AboutRedirect, What: n.Name})
	})
}

// RotateSecret gives an application another secret; the one before is worthless from now on. fault.Invalid for a public
// application.
func (a *Grants) RotateSecret(ctx context.Context, app *Application, by *credential.Credential) (secret string,
	err error,
) {
	if app.Public {
		return "", fault.New(fault.Invalid, "The application is public: it has no secret.")
	}
	secret, hash := credential.NewSecret(credential.KindClient)
	return secret, a.store.Write(ctx, func(tx *store.Tx) error {
		if err := credential.StillGood(tx, by.Account.UID, by.Origin); err != nil {
			return err
		}
		owner := ""
		err := tx.Query(`UPDATE applications SET secret = $1 WHERE uid = $2 RETURNING coalesce(owner, '')`,
			[]any{hash, app.UID}, func(c *store.Cols) error {
				owner = c.Text(0)
				return nil
			})
		if err != nil || owner == "" {
			return err
		}
		return a.tell(tx, owner, letter.Letter{Kind: letter.AboutSecret, What: app.Name})
	})
}

// DeleteApplication ends an application and everything that anybody allowed it. fault.NotFound for an unknown one.
func (a *Grants) DeleteApplication(ctx context.Context, uid string) error {
	if _, err := a.Application(ctx, uid); err != nil {
		return err
	}
	return a.people.Change(ctx, func(tx *store.Tx) error {
		if err := tx.Exec(`UPDATE applications SET deleted_at = $1 WHERE uid = $2`, tx.Now(), uid); err != nil {
			return err
		}
		return tx.Exec(`UPDATE grants SET revoked_at = $1 WHERE application = $2 AND revoked_at IS NULL`, tx.Now(), uid)
	})
}

// Proves tells whether a secret is the application's.
func (a *Application) Proves(secret string) bool {
	return !a.Public && credential.ValidSecret(credential.KindClient, secret) &&
		subtle.ConstantTimeCompare([]byte(credential.Hash(secret)), []byte(a.secretHash)) == 1
}

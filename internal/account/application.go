package account

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/grant"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// application is a registered application, without its secret.
type application struct {
	UID       string         `json:"uid"`
	ClientID  string         `json:"client_id"`
	Name      string         `json:"name"`
	LogoURL   *string        `json:"logo_url"`
	Redirects []string       `json:"redirect_uris"`
	Public    bool           `json:"public"`
	Implicit  bool           `json:"implicit"`
	CreatedAt document.Stamp `json:"created_at"`
	Deleted   bool           `json:"deleted"`
}

// newApplication is an application with its secret; a public one has none.
type newApplication struct {
	application
	Secret *string `json:"client_secret"`
}

// authorization is an application that the caller has allowed to act for them.
type authorization struct {
	UID         string         `json:"uid"`
	Application granted        `json:"application"`
	Scopes      []string       `json:"scopes"`
	CreatedAt   document.Stamp `json:"created_at"`
	LastUsedAt  *document.Time `json:"last_used_at"`
	Deleted     bool           `json:"deleted"`
}

type granted struct {
	ClientID string  `json:"client_id"`
	Name     string  `json:"name"`
	LogoURL  *string `json:"logo_url"`
}

func applicationRoutes() []api.Route {
	post := route("POST", "/me/applications", "Register an application; its secret is shown this once", 201, register)
	post.Keyed, post.Errors, post.In = true, []int{403, 409}, needing(bodySchema("name", "redirect_uris"))
	post.Out, _ = document.SchemaOf[newApplication]("An application, with its secret where it has one.")
	patch := route("PATCH", "/me/applications/{application}", "Change an application of the caller", 200, change)
	patch.Errors, patch.In = []int{403, 404}, needing(bodySchema())
	delete(patch.In["properties"].(api.Schema), "public") // it is said once
	// the password, too, is needed only where people are sent elsewhere
	delete(patch.In, "required")
	patch.Out, _ = document.SchemaOf[application]("An application.")
	rotate := route("POST", "/me/applications/{application}/secret",
		"Give an application of the caller a new secret; the one before ends", 200, rotate)
	rotate.Errors, rotate.Out, rotate.In = []int{403, 404}, post.Out, needing(api.BareSchema())
	return []api.Route{
		listed("/me/applications", "List the applications that the caller registered",
			"An application. Its uid is its client_id.", applications), post, patch, rotate,
		gone("/me/applications/{application}", "Delete an application of the caller; whoever uses it is shut out",
			remove),
	}
}

func authorizationRoutes() []api.Route {
	return []api.Route{
		listed("/me/authorizations", "List the applications that may act for the caller",
			"An application that may act for the caller. Its uid is the application's client_id.", authorizations),
		gone("/me/authorizations/{application}", "Shut an application out", func(c *api.Call) error {
			return c.Auth.RevokeAuthorization(c.Context(), c.Credential.Account.UID, c.Param("application"))
		}),
	}
}

func bodySchema(required ...string) api.Schema {
	text := api.Schema{"type": "string"}
	s := api.Schema{
		"type": "object", "additionalProperties": false, "minProperties": 1, "properties": api.Schema{
			"name": text, "logo": api.Schema{
				"type": []any{"string", "null"}, "description": "A picture of at most 64 KiB: data:image/png;base64,…",
			},
			"redirect_uris": api.Schema{"type": "array", "items": text, "minItems": 1, "maxItems": 20},
			"public":        api.Schema{"type": "boolean"}, "implicit": api.Schema{"type": "boolean"},
		},
	}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// read puts what a body says into an application; whether it is public is said once.
func read(body api.Object, n *grant.NewApplication, create bool) error {
	problems := map[string]string{}
	set := func(name string, value jsontext.Value, to any, kind string) {
		if err := json.Unmarshal(value, to); err != nil {
			problems[name] = "It must be " + kind + "."
		}
	}
	for _, f := range body {
		switch {
		case f.Name == "logo" && f.Value.Kind() == 'n':
			n.Logo = ""
		case f.Value.Kind() == 'n':
			problems[f.Name] = "It cannot be null."
		case f.Name == "name":
			set(f.Name, f.Value, &n.Name, "a string")
		case f.Name == "logo":
			set(f.Name, f.Value, &n.Logo, "a string")
		case f.Name == "redirect_uris":
			n.Redirects = nil
			set(f.Name, f.Value, &n.Redirects, "an array of strings")
		case f.Name == "implicit":
			set(f.Name, f.Value, &n.Implicit, "true or false")
		case f.Name == "public" && create:
			set(f.Name, f.Value, &n.Public, "true or false")
		default:
			problems[f.Name] = "This field cannot be written."
		}
	}
	if len(body) == 0 {
		problems[fault.General] = "The body has no fields."
	}
	if len(problems) > 0 {
		return fault.Fields(problems)
	}
	return nil
}

func showApplication(c *api.Call, a *grant.Application) application {
	return application{
		a.UID, a.UID, a.Name, logoURL(c, a), a.Redirects, a.Public, a.Implicit, document.Stamp(a.CreatedAt), false,
	}
}

func logoURL(c *api.Call, a *grant.Application) *string {
	if a.Logo == "" {
		return nil
	}
	at := c.Base + "/oauth/logos/" + a.UID
	return &at
}

func applications(c *api.Call) ([]application, error) {
	all, err := c.Auth.ApplicationsOf(c.Context(), c.Credential.Account.UID)
	shown := make([]application, len(all))
	for i := range all {
		shown[i] = showApplication(c, &all[i])
	}
	return shown, err
}

func register(c *api.Call) error {
	body, err := c.Fields()
	if err != nil {
		return err
	}
	password, said, err := takePassword(body)
	if err != nil {
		return err
	}
	n := grant.NewApplication{By: c.Credential.Origin}
	if err := read(said, &n, true); err != nil {
		return err
	}
	if err := confirm(c, password); err != nil {
		return err
	}
	app, secret, err := c.Auth.CreateApplication(c.Context(), c.Credential.Account.UID, n,
		func(tx *store.Tx, uid string) error {
			return resource.RememberRequest(tx, c, said, "the application "+uid)
		})
	if err != nil {
		return err
	}
	return sendSecret(c, 201, app, secret)
}

func sendSecret(c *api.Call, status int, app *grant.Application, secret string) error {
	shown := newApplication{application: showApplication(c, app)}
	if secret != "" {
		shown.Secret = &secret
	}
	return secretly(c, status, shown)
}

// own is the application that the path names, if it is the caller's.
func own(c *api.Call) (*grant.Application, error) {
	return c.Auth.ApplicationOf(c.Context(), c.Credential.Account.UID, c.Param("application"))
}

func change(c *api.Call) error {
	app, err := own(c)
	if err != nil {
		return err
	}
	body, err := c.Fields()
	if err != nil {
		return err
	}
	password, said, err := takePassword(body)
	if err != nil {
		return err
	}
	n := grant.NewApplication{
		By: c.Credential.Origin, Name: app.Name, Logo: app.Logo, Redirects: app.Redirects,
		Public: app.Public, Implicit: app.Implicit,
	}
	if err := read(said, &n, false); err != nil {
		return err
	}
	if app.Redirected(n) {
		if err := confirm(c, password); err != nil {
			return err
		}
	}
	if err := c.Auth.UpdateApplication(c.Context(), app, n); err != nil {
		return err
	}
	app.Name, app.Logo, app.Redirects, app.Implicit = n.Name, n.Logo, n.Redirects, n.Implicit
	return c.SendJSON(200, showApplication(c, app))
}

func rotate(c *api.Call) error {
	app, err := own(c)
	if err != nil {
		return err
	}
	in, _, err := resource.OptionalBody[passwordBody](c)
	if err != nil {
		return err
	}
	if err := confirm(c, in.Password); err != nil {
		return err
	}
	secret, err := c.Auth.RotateSecret(c.Context(), app, c.Credential)
	if err != nil {
		return err
	}
	return sendSecret(c, 200, app, secret)
}

func remove(c *api.Call) error {
	app, err := own(c)
	if err != nil {
		return err
	}
	return c.Auth.DeleteApplication(c.Context(), app.UID)
}

func authorizations(c *api.Call) ([]authorization, error) {
	all, err := c.Auth.Authorizations(c.Context(), c.Credential.Account.UID)
	shown := make([]authorization, len(all))
	for i := range all {
		a := &all[i]
		shown[i] = authorization{
			a.UID,
			granted{a.UID, a.Name, logoURL(c, &a.Application)},
			a.Scopes.Names(),
			document.Stamp(a.AllowedAt), moment(a.LastUsedAt), false,
		}
	}
	return shown, err
}

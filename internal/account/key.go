package account

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// key is an API key of the caller, without the key itself.
type key struct {
	UID        string         `json:"uid"`
	Name       string         `json:"name"`
	Limits     []limit        `json:"limits"`
	CreatedAt  document.Stamp `json:"created_at"`
	LastUsedAt *document.Time `json:"last_used_at"`
	Deleted    bool           `json:"deleted"`
}

// newKey is a key at the one moment at which it can be shown.
type newKey struct {
	key
	Key string `json:"key"`
}

type limit struct {
	Type     string `json:"request_type"`
	Interval int64  `json:"interval"`
	Limit    int64  `json:"limit"`
}

type keyBody struct {
	Name     string `json:"name" write:"required,max=255"`
	Password string `json:"password" write:"max=1024"`
}

func keyRoutes() []api.Route {
	post := route("POST", "/me/keys", "Create an API key; it is shown this once", 201, createKey)
	post.Keyed, post.Errors, post.In = true, []int{403, 409}, needing(document.BodySchema[keyBody]())
	post.Out, _ = document.SchemaOf[newKey]("An API key, with the key itself.")
	return []api.Route{
		listed("/me/keys", "List the caller's API keys", "An API key. Its limits are empty where the usual ones hold.",
			keys), post,
		gone("/me/keys/{key}", "Deactivate an API key of the caller", func(c *api.Call) error {
			return c.Auth.RevokeKeyOf(c.Context(), c.Credential.Account.UID, c.Param("key"))
		}),
	}
}

func keys(c *api.Call) ([]key, error) {
	all, err := c.Auth.KeysOf(c.Context(), c.Credential.Account.UID)
	shown := make([]key, len(all))
	for i, k := range all {
		shown[i] = show(k)
	}
	return shown, err
}

func show(k auth.Key) key {
	limits := make([]limit, len(k.Limits))
	for i, l := range k.Limits {
		limits[i] = limit(l)
	}
	return key{k.UID, k.Name, limits, document.Stamp(k.CreatedAt), moment(k.LastUsedAt), k.RevokedAt != nil}
}

// createKey makes a key, which is counted as the one that asks is: otherwise limits would be no limits.
func createKey(c *api.Call) error {
	in, body, err := resource.Body[keyBody](c)
	if err != nil {
		return err
	}
	if err := confirm(c, in.Password); err != nil {
		return err
	}
	account := c.Credential.Account.UID
	uid, secret, err := c.Auth.MintKey(c.Context(), c.Credential, in.Name, func(tx *store.Tx, uid string) error {
		return resource.RememberRequest(tx, c, withoutPassword(body), "the key "+uid)
	})
	if err != nil {
		return err
	}
	all, err := c.Auth.KeysOf(c.Context(), account)
	if err != nil {
		return err
	}
	for _, k := range all {
		if k.UID == uid {
			return secretly(c, 201, newKey{show(k), secret})
		}
	}
	return nil
}

func moment(micros *int64) *document.Time {
	if micros == nil {
		return nil
	}
	t := document.Time(*micros)
	return &t
}

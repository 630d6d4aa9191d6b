package account

import (
	"slices"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/redact"
)

// What lasts longer than the credential that asks for it, a key or an application, needs the password of the account
// too: whoever found a key cannot make a second one that survives the first.

// passwordField is the field of a body that carries it.
const passwordField = "password"

type passwordBody struct {
	Password string `json:"password" write:"max=1024"`
}

// confirm checks the password of the caller: fault.Forbidden when it is missing or wrong.
func confirm(c *api.Call, password string) error {
	return c.Auth.Confirm(c.Context(), c.Credential.Account, redact.Secret(password), c.Visit().Address)
}

// takePassword takes the password out of a body that is read field by field.
func takePassword(body api.Object) (password string, rest api.Object, err error) {
	if value, given := body.Get(passwordField); given && json.Unmarshal(value, &password) != nil {
		return "", body, fault.Field(passwordField, "It must be a string.")
	}
	return password, withoutPassword(body), nil
}

// withoutPassword is what may be remembered of a body: not even a digest of a password, which could be guessed from it.
func withoutPassword(body api.Object) api.Object {
	return slices.DeleteFunc(slices.Clone(body), func(f api.Field) bool { return f.Name == passwordField })
}

// needing describes a body that has the password, too.
func needing(s api.Schema) api.Schema {
	properties := api.Schema{
		passwordField: api.Schema{"type": "string", "description": "The password of the caller's account."},
	}
	for name, of := range s["properties"].(api.Schema) {
		if name != passwordField {
			properties[name] = of
		}
	}
	required, _ := s["required"].([]string)
	full := api.Schema{}
	for name, value := range s {
		full[name] = value
	}
	full["properties"], full["required"] = properties, append(slices.Clone(required), passwordField)
	return full
}

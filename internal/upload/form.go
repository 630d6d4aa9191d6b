package upload

import (
	"crypto/subtle"
	"encoding/base64"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// field is a field of the form.
type field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// arguments are what is needed to post the file.
type arguments struct {
	Action string  `json:"action"`
	Fields []field `json:"fields"`
}

// offer is the file upload object. Older programs read the arguments under their first name.
type offer struct {
	UID        string    `json:"uid"`
	WebhookURL string    `json:"webhook_url"`
	Arguments  arguments `json:"storage_post_form_arguments"`
	Same       arguments `json:"aws_post_form_arguments"`
}

// offered describes it.
var offered = func() map[string]api.Schema {
	text, uri := api.Schema{"type": "string"}, api.Schema{"type": "string", "format": "uri"}
	object := func(properties api.Schema, required ...any) api.Schema {
		return api.Schema{"type": "object", "properties": properties, "required": required}
	}
	one := object(api.Schema{"name": text, "value": text}, "name", "value")
	given := object(api.Schema{"action": uri, "fields": api.Schema{"type": "array", "items": one}}, "action", "fields")
	return map[string]api.Schema{
		"FormArguments": given,
		"FileUpload": object(api.Schema{
			"uid": text, "webhook_url": uri,
			"storage_post_form_arguments": api.Schema{"$ref": "#/components/schemas/FormArguments"},
			"aws_post_form_arguments":     api.Schema{"$ref": "#/components/schemas/FormArguments"},
		}, "uid", "webhook_url", "storage_post_form_arguments", "aws_post_form_arguments"),
	}
}()

// Offered is the schema of the file upload object, and what it refers to.
func Offered() (api.Schema, map[string]api.Schema) {
	return api.Schema{"$ref": "#/components/schemas/FileUpload"}, offered
}

func (u *Upload) offer(c *api.Call, p *store.Project) offer {
	a := arguments{c.Base + "/storage/" + p.UID, u.form(c, p)}
	return offer{u.UID, u.webhook(c, p), a, a}
}

// webhook is where the upload is completed.
func (u *Upload) webhook(c *api.Call, p *store.Project) string {
	token, _ := u.token(c, p)
	return c.Base + "/projects/" + p.UID + "/" + completions(u.Kind) + token
}

// completions is the path, from the project's on, under which uploads of a kind are completed.
func completions(kind string) string {
	family, part, parted := strings.Cut(kind, "/")
	if parted {
		part += "/"
	}
	return family + "/uploads/" + part + "completions/"
}

// The fields by which a form is known. Programs have these eight names built in.
const (
	fieldKey       = "key"
	fieldPolicy    = "policy"
	fieldSignature = "signature"
)

// form gives the fields of the form, always the same for the same upload: whatever else is sent is no form of ours.
func (u *Upload) form(c *api.Call, p *store.Project) []field {
	fields := []field{
		{fieldKey, u.UID},
		{fieldPolicy, ""},
		{fieldSignature, ""},
		{"AWSAccessKeyId", "groundwork"},
		{"Content-Type", u.Type},
		{"success_action_redirect", u.webhook(c, p)},
		{"x-amz-server-side-encryption", "AES256"},
		{"x-amz-storage-class", "STANDARD"},
	}
	conditions := []any{[]any{"content-length-range", 0, u.most}}
	for _, f := range fields {
		if f.Value != "" {
			conditions = append(conditions, []any{"eq", "$" + f.Name, f.Value})
		}
	}
	// Marshalling texts and numbers cannot fail.
	policy, _ := json.Marshal(struct {
		Expiration string `json:"expiration"`
		Conditions []any  `json:"conditions"`
	}{time.UnixMicro(u.expires).UTC().Format("2006-01-02T15:04:05.000Z"), conditions})
	fields[1].Value = base64.StdEncoding.EncodeToString(policy)
	fields[2].Value = base64.StdEncoding.EncodeToString(c.Auth.Sign("form", []byte(p.UID+" "+fields[1].Value)))
	return fields
}

// verify holds the fields that were sent, by their names in lower case, against the form: fault.Forbidden where one
// differs, where the form has expired or was completed. What is not sent, or sent empty, stands as the form has it; but
// key, policy and signature must be there.
func (u *Upload) verify(c *api.Call, p *store.Project, sent map[string]string, now int64) error {
	for _, f := range u.form(c, p) {
		got := sent[strings.ToLower(f.Name)]
		if got == "" && f.Name != fieldKey && f.Name != fieldPolicy && f.Name != fieldSignature {
			continue
		}
		if subtle.ConstantTimeCompare([]byte(got), []byte(f.Value)) != 1 {
			return refused("its field %s is not as it was given out", f.Name)
		}
	}
	if u.completed() {
		return refused("its upload was completed")
	}
	if now >= u.expires {
		return refused("it has expired; begin a new upload")
	}
	return nil
}

func refused(format string, args ...any) error {
	return fault.New(fault.Forbidden, "The form is not accepted: "+format+".", args...)
}

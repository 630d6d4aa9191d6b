package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

var (
	recordTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$`)
	otherTime  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$`)
)

// badTimes says which times in a body do not have the form of the contract: created_at and updated_at with six digits
// of fraction, others with a fraction only when they have one, all with +00:00.
func badTimes(body []byte) []string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return nil
	}
	var out []string
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for inner, value := range v {
				if inner != "errors" { // there names stand before sentences
					walk(inner, value)
				}
			}
		case []any:
			for _, value := range v {
				walk(name, value)
			}
		case string:
			form := otherTime
			if name == "created_at" || name == "updated_at" {
				form = recordTime
			}
			if (strings.HasSuffix(name, "_at") || name == "reset") && !form.MatchString(v) {
				out = append(out, fmt.Sprintf("%s is %q, which is not the form of a time here", name, v))
			}
		}
	}
	walk("", v)
	return out
}

// exchange is one request inside a batch with its result.
type exchange struct {
	method, path string
	sent         []byte
	response     Response
}

// batch takes a batch apart: sent is its body, r its response.
func batch(sent []byte, r Response) ([]exchange, error) {
	var asked []json.RawMessage
	var got struct {
		Data []struct {
			Status  int `json:"status_code"`
			Headers []struct{ Name, Value string }
			Body    string
		}
	}
	if err := json.Unmarshal(sent, &asked); err != nil {
		return nil, fmt.Errorf("the batch's request: %w", err)
	}
	if err := json.Unmarshal(r.Body, &got); err != nil {
		return nil, fmt.Errorf("the batch's response: %w", err)
	}
	if len(asked) != len(got.Data) {
		return nil, fmt.Errorf("%d results for %d requests", len(got.Data), len(asked))
	}
	var out []exchange
	for i, text := range asked {
		var a struct {
			Method, Path string
			Body         *string
		}
		_ = json.Unmarshal(text, &a) // malformed on purpose: its result says so, and no operation is found for it
		header := http.Header{}
		for _, h := range got.Data[i].Headers {
			header.Add(h.Name, h.Value)
		}
		var body []byte
		if a.Body != nil {
			body = []byte(*a.Body)
		}
		path, _, _ := strings.Cut(a.Path, "?")
		out = append(out, exchange{
			a.Method, path, body, Response{got.Data[i].Status, header, []byte(got.Data[i].Body)},
		})
	}
	return out, nil
}

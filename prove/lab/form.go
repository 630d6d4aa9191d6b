package lab

import "net/url"

// FormValues is what a browser or an application sends in a form.
type FormValues map[string]string

// Encode is the body of a form.
func (f FormValues) Encode() string {
	values := url.Values{}
	for name, value := range f {
		values.Set(name, value)
	}
	return values.Encode()
}

package upload

import (
	"bufio"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"groundwork/internal/fault"
)

// form is a multipart form that was read up to its file: the fields come first, and nothing comes after the file.
type form struct {
	fields map[string]string // by the name in lower case
	parts  *multipart.Reader
	file   io.Reader
}

const (
	mostFields = 64       // in number
	mostHead   = 64 << 10 // bytes before the file
	readAhead  = 64 << 10
)

// readForm reads the fields of a form: fault.Invalid for what is no form with a file in it.
func readForm(contentType string, body io.Reader) (*form, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, malformed("It must be multipart/form-data.")
	}
	head := &bounded{r: bufio.NewReaderSize(body, readAhead), left: mostHead}
	f := &form{fields: map[string]string{}, parts: multipart.NewReader(head, params["boundary"])}
	for {
		part, err := f.parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil, malformed("It has no part named file.")
		}
		if err != nil {
			return nil, broken(err)
		}
		name := strings.ToLower(partName(part.Header.Get("Content-Disposition")))
		if name == "file" {
			head.left = -1
			f.file = part
			return f, nil
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return nil, broken(err)
		}
		if _, twice := f.fields[name]; twice {
			return nil, malformed("Its field %s is there twice.", name)
		}
		if f.fields[name] = string(value); len(f.fields) > mostFields {
			return nil, malformed("It has more than %d fields.", mostFields)
		}
	}
}

// partName reads the name of a part, quoted or not, and passes over what else the header says, however odd: programs
// put all kinds of file names there.
func partName(disposition string) string {
	for rest := disposition; rest != ""; {
		var param string
		param, rest = cutParam(rest)
		key, value, found := strings.Cut(param, "=")
		if !found || !strings.EqualFold(strings.TrimSpace(key), "name") {
			continue
		}
		value = strings.TrimSpace(value)
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = strings.ReplaceAll(value[1:len(value)-1], `\"`, `"`)
		}
		return value
	}
	return ""
}

// cutParam cuts at the first semicolon that is not inside quotes.
func cutParam(s string) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ';' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// bounded reads at most left bytes; without a bound when left is negative.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return b.r.Read(p)
	}
	if b.left == 0 {
		return 0, malformed("Its fields have more than %d bytes.", mostHead)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// content is the file of a form while it is stored: counted, hashed, and ended only by the end of the form.
type content struct {
	*form
	measure
}

// Read fills p as far as it can: what is stored in large pieces is stored sooner.
func (c *content) Read(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = c.file.Read(p[n:])
		n += more
	}
	if over := c.count(p[:n]); over != nil {
		return 0, over
	}
	switch {
	case err == io.EOF:
		if _, more := c.parts.NextRawPart(); more != io.EOF {
			return 0, afterFile(more)
		}
		return n, io.EOF
	case err != nil:
		return 0, broken(err)
	}
	return n, nil
}

func afterFile(err error) error {
	if err != nil {
		return broken(err)
	}
	return malformed("Its file must be the last part.")
}

func tooLong(most int64) error {
	return fault.Field("file", "It is larger than the %d bytes that the form admits.", most)
}

func noRoom() error {
	return fault.New(fault.TooLarge, "The project has no room left for this file.")
}

func malformed(format string, args ...any) error {
	return fault.New(fault.Invalid, "The form cannot be read. "+format, args...)
}

// broken says why a form could not be read to its end.
func broken(err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, io.ErrUnexpectedEOF):
		return malformed("It breaks off before its end.")
	default:
		return malformed("It is not well-formed.")
	}
}

package uploads

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

// document uploads a document and gives it.
func (r *raid) document(family string, attributes map[string]any, content []byte) (lab.Fields, error) {
	if r.plainServer {
		return lab.Fields{"url": lab.QuotedJSON(r.client.BaseURL + "/files/1?expires=1&signature=x")}, nil
	}
	a, err := r.client.Upload(r.t, r.project, family, attributes, content)
	if err != nil {
		return nil, err
	}
	var f lab.Fields
	return f, json.Unmarshal(a.Body, &f)
}

// links edits a good link.
func (r *raid) links() error {
	f, err := r.document("attachments", map[string]any{"name": "plan.pdf", "content_type": "application/pdf"},
		[]byte("a plan"))
	if err != nil {
		return err
	}
	second, err := r.document("attachments", map[string]any{"name": "other.pdf", "content_type": "application/pdf"},
		[]byte("another plan"))
	if err != nil {
		return err
	}
	good, err := url.Parse(f.Text("url"))
	if err != nil {
		return err
	}
	another, err := url.Parse(second.Text("url"))
	if err != nil {
		return err
	}
	edit := func(change func(u *url.URL, q url.Values)) string {
		u, q := *good, good.Query()
		change(&u, q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for name, target := range map[string]string{
		"a link that ends later":    edit(func(_ *url.URL, q url.Values) { q.Set("expires", "9999999999") }),
		"a link without an end":     edit(func(_ *url.URL, q url.Values) { q.Del("expires") }),
		"a link with a strange end": edit(func(_ *url.URL, q url.Values) { q.Set("expires", "-1e9") }),
		"a link with another sign":  edit(func(_ *url.URL, q url.Values) { q.Set("signature", "AAAA") }),
		"a link without a sign":     edit(func(_ *url.URL, q url.Values) { q.Del("signature") }),
		"a link with a cut sign": edit(func(_ *url.URL, q url.Values) {
			q.Set("signature", q.Get("signature")[:len(q.Get("signature"))-1])
		}),
		"a link to another file": edit(func(u *url.URL, q url.Values) { u.Path = another.Path; q.Set("expires", "1") }),
		"a link that climbs": edit(func(u *url.URL, _ url.Values) {
			u.Path, u.RawPath = "/projects/x/files/../../etc/passwd", "/projects/x/files/..%2f..%2fetc%2fpasswd"
		}),
		"a link into another project": edit(func(u *url.URL, _ url.Values) {
			u.Path = strings.Replace(u.Path, r.project, r.other, 1) + ""
		}),
		"a sign that two others share": edit(func(_ *url.URL, q url.Values) {
			q["signature"] = []string{"x", q.Get("signature")}
		}),
	} {
		r.count("link")
		a, err := r.client.DoWithoutKey(r.t, http.MethodGet, target, nil, "")
		r.refused(name, a, err, http.StatusForbidden, http.StatusNotFound, http.StatusBadRequest)
	}
	return nil
}

// tokens guesses the tokens by which uploads are completed.
func (r *raid) tokens() error {
	f, err := r.begin(r.project, map[string]any{"name": "token.pdf", "content_type": "application/pdf"})
	if err != nil {
		return err
	}
	cut := strings.LastIndex(f.Webhook, "/")
	base, token := f.Webhook[:cut+1], f.Webhook[cut+1:]
	for name, target := range map[string]string{
		"a token with a letter less":        base + token[:len(token)-1],
		"a token with a letter more":        base + token + "0",
		"another token":                     base + strings.Repeat("A", max(1, len(token))),
		"a token at the door of photos":     strings.Replace(f.Webhook, "/attachments/", "/photos/", 1),
		"a token in another project":        strings.Replace(f.Webhook, r.project, r.other, 1),
		"a token with what a database eats": base + "%27%20OR%201=1--",
		"a token that is no text":           base + "%ff%00",
	} {
		r.count("token")
		a, err := r.client.DoWithoutKey(r.t, http.MethodGet, target, nil, "")
		r.refused(name, a, err, http.StatusNotFound, http.StatusBadRequest)
	}
	return nil
}

// names are what people should not call a file.
func hostileNames() []string {
	return []string{
		"../../../../" + canaryFile, "/tmp/" + canaryFile, `..\..\` + canaryFile, "files/../../" + canaryFile,
		"a\x00b.pdf", "a\r\nX-Evil: 1\r\n\r\n<script>.pdf", "a\nSet-Cookie: x=1.pdf", `a"; filename="evil.exe`,
		"plan\u202efdp.exe", "\u2066x\u2069", "....//....//x", "CON", "NUL.txt", ".", "..", "...", " ", "~", "-rf",
		"$(touch " + canaryFile + ")", "`touch " + canaryFile + "`", "%2e%2e%2f" + canaryFile, "%00.pdf", "x;y=z",
		strings.Repeat("a", 255), strings.Repeat("東", 85), strings.Repeat("x", 5000), "Grundriß – 東京駅.pdf", "🏗️.png",
		"<img src=x onerror=alert(1)>", "'; DROP TABLE files;--", "{\"~p\":1}", "e\u0301.pdf", "\ufeff.pdf",
		"a/b/c.pdf",
	}
}

// names gives files such names and looks at what a browser is told.
func (r *raid) names() error {
	for _, name := range hostileNames() {
		r.count("name")
		attributes := map[string]any{"name": name, "content_type": "application/pdf", "folder": name}
		f, a, err := r.client.BeginUpload(r.t, r.project, "attachments", attributes)
		if err != nil {
			return err
		}
		if f == nil {
			r.refused(fmt.Sprintf("the name %q", name), a, nil, http.StatusBadRequest)
			continue
		}
		made, err := r.document("attachments", attributes, []byte("%PDF-1.4 "+name))
		if err != nil {
			return err
		}
		got, err := r.client.DoWithoutKey(r.t, http.MethodGet, made.Text("url"), nil, "")
		if err != nil {
			return err
		}
		header := got.Header.Values("Content-Disposition")
		if got.Status != http.StatusOK || len(header) != 1 || got.Header.Get("X-Evil") != "" ||
			got.Header.Get("Set-Cookie") != "" {
			r.wrong("the name %q: %d, %q", name, got.Status, got.Header)
			continue
		}
		_, params, err := mime.ParseMediaType(header[0])
		saved := params["filename"]
		bad := strings.ContainsFunc(saved, func(c rune) bool {
			return c == '/' || c == '\\' || unicode.IsControl(c) || c >= 0x202a && c <= 0x202e ||
				c >= 0x2066 && c <= 0x2069
		})
		if err != nil || saved == "" || bad || strings.Trim(saved, ". ") == "" {
			r.wrong("the name %q is saved by %q as %q: %v", name, header[0], saved, err)
		}
	}
	return nil
}

// runnable are parts of types that a browser runs something of.
var runnable = []string{"html", "svg", "xml", "script", "multipart", "message"}

// contents uploads what a browser would run, as what it is and as what it is not.
func (r *raid) contents() error {
	const script = `<script>fetch('/projects')</script>`
	svg := `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`
	for _, one := range []struct{ kind, content string }{
		{"text/html", script},
		{"text/html; charset=utf-7", "+ADw-script+AD4-"},
		{"TEXT/HTML", script},
		{"application/xhtml+xml", script},
		{"image/svg+xml", svg},
		{"text/xml", svg},
		{"application/xml", svg},
		{"application/javascript", "alert(1)"},
		{"text/javascript", "alert(1)"},
		{"application/ecmascript", "alert(1)"},
		{"text/css", "*{}"},
		{"application/x-shockwave-flash", "CWS"},
		{"multipart/x-mixed-replace", script},
		{"message/rfc822", "Content-Type: text/html\r\n\r\n" + script},
		{"application/mathml+xml", svg},
		{"text/plain", script},
		{"text/plain; charset=utf-7", "+ADw-script+AD4-"},
		{"image/png", script},
		{"image/jpeg", svg},
		{"application/pdf", "%PDF-1.4\n" + script},
		{"image/gif", "GIF89a/*" + script + "*/"},
		{"application/octet-stream", script},
		{"image/png", "\x89PNG\r\n\x1a\n" + script},
		{"application/zip", "PK\x03\x04" + script},
		{"x/y", script},
	} {
		r.count("content")
		made, err := r.document("attachments", map[string]any{"name": "page.html", "content_type": one.kind},
			[]byte(one.content))
		if err != nil {
			return err
		}
		a, err := r.client.DoWithoutKey(r.t, http.MethodGet, made.Text("url"), nil, "")
		if err != nil {
			return err
		}
		if !r.plainServer && (a.Status != http.StatusOK || string(a.Body) != one.content) {
			r.wrong("a file of type %s came back as %s", one.kind, a)
		}
		r.harmless(one.kind, a)
	}
	return nil
}

// harmless holds that nothing in an answer can run in a browser.
func (r *raid) harmless(what string, a *lab.Answer) {
	kind := strings.ToLower(a.Header.Get("Content-Type"))
	safe := a.Header.Get("X-Content-Type-Options") == "nosniff" &&
		strings.Contains(a.Header.Get("Content-Security-Policy"), "sandbox") &&
		strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'")
	for _, part := range runnable {
		safe = safe && !strings.Contains(kind, part)
	}
	how, _, _ := strings.Cut(a.Header.Get("Content-Disposition"), ";")
	plain, _, _ := strings.Cut(kind, ";")
	shown := plain == "application/pdf" || strings.HasPrefix(plain, "image/")
	if !safe || how != "attachment" && !(how == "inline" && shown) {
		r.wrong("a file of type %s is served with %q", what, a.Header)
	}
}

// bombs uploads pictures that are larger than they look.
func (r *raid) bombs() error {
	var zip bytes.Buffer
	z := gzip.NewWriter(&zip)
	_, _ = z.Write(make([]byte, 50<<20)) // into memory
	_ = z.Close()
	var looked []string
	for name, one := range map[string]struct {
		kind    string
		content []byte
	}{
		"a picture of 3,600 megapixels in 60 KB": {"image/png", bombPNG(60_000, 60_000, 60_000)},
		"a picture of 4 billion lines":           {"image/png", bombPNG(1, 1<<31-1, 1000)},
		"a picture of nothing":                   {"image/png", bombPNG(0, 0, 0)},
		"half a picture":                         {"image/png", bombPNG(500, 500, 1000)[:60]},
		"a JPEG that ends at once":               {"image/jpeg", []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00")},
		"a JPEG of 65,535 squared": {
			"image/jpeg",
			[]byte("\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x3f\x00\x00"),
		},
		"a HEIC of zeros": {
			"image/heic",
			append([]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heicmif1"), make([]byte, 5000)...),
		},
		"a HEIC whose boxes never end": {
			"image/heic",
			bytes.Repeat([]byte("\x00\x00\x00\x01meta\x00\x00\x00\x00\x00\x00\x00\x08"), 1000),
		},
		"EXIF that points at itself": {
			"image/jpeg",
			[]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x69\x87\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\xff\xd9"),
		},
		"gzip as a picture": {"image/png", zip.Bytes()[:min(zip.Len(), formMost)]},
		"nothing":           {"image/png", nil},
	} {
		r.count("bomb")
		made, err := r.document("photos", map[string]any{"title": name, "content_type": one.kind}, one.content)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		a, err := r.client.DoWithoutKey(r.t, http.MethodGet, made.Text("url"), nil, "")
		if err != nil || a.Status != http.StatusOK || !bytes.Equal(a.Body, one.content) {
			r.wrong("%s came back as %v, %v", name, a, err)
			continue
		}
		r.harmless(one.kind, a)
		looked = append(looked, r.project+"/photos/"+made.Text("uid"))
	}
	// Each was looked at to its end: none has become a picture, and each says why.
	for _, path := range looked {
		f, err := estate.AwaitPhoto(r.t, r.client, path)
		if err != nil {
			return err
		}
		if f.Text("image_error") == "" || f.Text("thumbnail_url") != "" {
			r.wrong("%s has become a picture: %s", f.Text("title"), f["thumbnail_url"])
		}
	}
	return nil
}

// bombPNG is a picture of zeros that says it has these sides; so many of its bytes are there.
func bombPNG(width, height uint32, content int) []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		_ = binary.Write(&b, binary.BigEndian, uint32(len(data))) // into memory
		b.WriteString(kind)
		b.Write(data)
		_ = binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(append([]byte(kind), data...)))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	chunk("IHDR", append(head, 8, 0, 0, 0, 0))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(make([]byte, content*10))
	_ = z.Close()
	chunk("IDAT", packed.Bytes())
	chunk("IEND", nil)
	return b.Bytes()
}

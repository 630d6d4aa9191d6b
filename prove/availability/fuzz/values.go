package fuzz

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
	"groundwork/prove/openapi"
)

func valid8(text string) bool { return utf8.ValidString(text) }

// texts are what people and programs write into fields.
var texts = []string{
	"Crack in wall", "Ä", "façade", "日本語", "🏗️ crane", "مرحبا", "a\u0301", "<script>alert(1)</script>",
	"'; DROP TABLE records; --", `"quoted"`, `back\slash`, "line\nbreak", "tab\there",
	"null", "true", "0", "-1", "{}", "[]", "{\"~p\":3}", "~p", "$1", "%s", "%00", "\u2028", "\ufeff", "\u200f", "x\x7f",
	"=1+1", " padded ", ".", "../../etc/passwd",
}

// moments are times in many forms that can be read.
var moments = []string{
	"2026-03-31T16:00:00Z", "2026-03-31T16:00:00+02:00", "2026-03-31T16:00:00", "1970-01-01T00:00:00Z",
	"2026-03-31T16:00:00.123456789Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z",
	"2026-03-31T16:00:00 00:00", "2026-02-29T00:00:00Z", "2026-03-31T24:00:00Z", "2026-03-31", "2016-12-31T23:59:60Z",
}

// value gives something that a schema allows; what the schema leaves open is chosen to be awkward.
func (g *gunner) value(name string, schema lab.Object, depth int) any {
	schema = g.f.doc.Resolve(schema)
	if any, _ := schema["anyOf"].([]any); len(any) > 0 {
		inner, _ := lab.OneOf(g.random, any).(lab.Object)
		return g.value(name, inner, depth)
	}
	if enum, _ := schema["enum"].([]any); len(enum) > 0 {
		return lab.OneOf(g.random, enum)
	}
	allowed := openapi.Types(schema)
	if len(allowed) == 0 || depth > 6 {
		return lab.OneOf(g.random, texts)
	}
	kind := lab.OneOf(g.random, allowed)
	if kind == "null" && !g.one(3) {
		kind = allowed[0]
	}
	switch kind {
	case "null":
		return nil
	case "boolean":
		return g.one(2)
	case "integer":
		return g.integer(schema)
	case "number":
		if name == "x" || name == "y" {
			return float64(g.random.IntN(10_001)) / 10_000
		}
		return float64(g.random.IntN(10_000_000)-1_000_000) / 100
	case "array":
		return g.array(name, schema, depth)
	case "object":
		return g.object(schema, depth)
	default:
		return g.text(name, schema)
	}
}

func bound(schema lab.Object, name string, otherwise int) int {
	n, err := strconv.Atoi(fmt.Sprint(schema[name]))
	if err != nil {
		return otherwise
	}
	return n
}

func (g *gunner) integer(schema lab.Object) any {
	least, most := bound(schema, "minimum", math.MinInt32), bound(schema, "maximum", math.MaxInt32)
	switch g.random.IntN(8) {
	case 0:
		return least
	case 1:
		return most
	case 2:
		if schema["format"] == "int64" {
			return lab.OneOf(g.random, []int64{math.MaxInt64, math.MinInt64, 1 << 53, -1, 0})
		}
	case 3, 4, 5:
		return max(least, min(most, 1+g.random.IntN(4)))
	}
	return least + g.random.IntN(min(most-least, 200)+1)
}

func (g *gunner) array(name string, schema lab.Object, depth int) any {
	items, _ := schema["items"].(lab.Object)
	out := []any{}
	for range min(bound(schema, "minItems", 0)+g.random.IntN(4), bound(schema, "maxItems", 50)) {
		out = append(out, g.value(name, items, depth+1))
	}
	return out
}

func (g *gunner) object(schema lab.Object, depth int) any {
	out := lab.Object{}
	required, _ := schema["required"].([]any)
	properties := openapi.Dig(schema, "properties")
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		inner, _ := properties[name].(lab.Object)
		if family, refers := estate.KindByField[name]; refers && len(g.uids[g.at+family]) == 0 && !g.one(10) {
			continue
		}
		if slices.Contains(required, any(name)) || name != "uid" && g.one(3) {
			out[name] = g.value(name, inner, depth+1)
		}
	}
	if out["assigned_to"] != nil && out["assigned_to_uids"] != nil {
		delete(out, "assigned_to")
	}
	return out
}

func (g *gunner) text(name string, schema lab.Object) any {
	most := bound(schema, "maxLength", 1000)
	switch {
	case schema["format"] == "date":
		return lab.OneOf(g.random, []string{"2026-03-01", "2024-02-29", "0001-01-01", "9999-12-31", "2026-12-31"})
	case strings.HasSuffix(name, "_at") || name == "updated_after":
		return lab.OneOf(g.random, moments)
	case name == "password":
		return lab.Password
	case strings.Contains(name, "email"):
		return lab.OneOf(g.random, []string{"bob@example.com", "cleo@example.com", fmt.Sprintf("p%d@example.com",
			g.random.IntN(50)), "ÄÖ@example.com", "no address", "a@b", "\"odd name\"@example.com"})
	case estate.KindByField[name] != "":
		return g.uid(estate.KindByField[name])
	case name == "kind" && !g.one(3):
		return estate.AnyKind
	case name == "method":
		return lab.OneOf(g.random, []string{"GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "get", "X"})
	case name == "country" && !g.one(3):
		return lab.OneOf(g.random, []string{"DE", "NZ", "us"})
	case name == "timezone" && !g.one(3):
		return lab.OneOf(g.random, []string{"Europe/Berlin", "UTC", "America/New_York"})
	case name == "content_type" && !g.one(3):
		return lab.OneOf(g.random, []string{"application/pdf", "image/png", "text/html"})
	case name == "color" && !g.one(3):
		return lab.OneOf(g.random, []string{"#FF0000", "#00ff7f"})
	case name == "stamp" && !g.one(3):
		return lab.OneOf(g.random, []string{"P", "Ä", "🏗"})
	case name == "redirect_uris":
		return lab.OneOf(g.random, []string{
			"https://sync.example.com/callback", "http://127.0.0.1/callback", "com.example.app:/callback",
			"https://sync.example.com/callback", "https://sync.example.com/callback", "http://example.com", "x",
		})
	case name == "logo":
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString(estate.Picture(3, 3+g.random.IntN(9)))
	case name == "language" && !g.one(3):
		return lab.OneOf(g.random, []string{"en", "de-CH"})
	}
	text := lab.OneOf(g.random, texts)
	if g.one(50) {
		text = strings.Repeat("é", most)
	} else if g.one(50) {
		text = ""
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most])
	}
	if bound(schema, "minLength", 0) > 0 && strings.TrimSpace(text) == "" {
		text = "Text"
	}
	return text
}

// tamper makes a request wrong in one way.
func (g *gunner) tamper(d *draft) {
	d.parts = nil
	switch n := g.random.IntN(10); {
	case n < 2:
		g.tamperPath(d)
	case n < 3:
		d.method = lab.OneOf(g.random, []string{
			"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE",
			"PROPFIND", "get", "PATCHX", "X-Y_Z", "CONNECT1",
		})
	case n < 5:
		g.tamperHeader(d)
	default:
		g.tamperBody(d)
	}
}

func (g *gunner) tamperPath(d *draft) {
	path, query, _ := strings.Cut(d.path, "?")
	segments := strings.Split(path, "/")
	i := g.random.IntN(len(segments))
	switch g.random.IntN(12) {
	case 0:
		segments[i] = strings.ToUpper(segments[i])
	case 1:
		segments[i] = lab.OneOf(g.random, []string{
			".", "..", "", "%2e", "%2F", "%00", "%zz", "%", "a%20b", "%C3%A4",
			"%ff%fe", "*", "{uid}", "'", "~", "restore", strings.Repeat("x", 3000), "\u00e4",
		})
	case 2:
		segments = append(segments, lab.OneOf(g.random, []string{"", "x", "issues", "..", "comments"}))
	case 3:
		segments = segments[:max(1, len(segments)-1)]
	case 4:
		segments[i] = g.uid("issues")
	default:
		name := lab.OneOf(g.random, []string{
			"limit", "skip", "updated_after", "cursor", "status", "deleted", "assigned_to",
			"role_uid", "x", "limit[]", "", "%zz", "type",
		})
		value := lab.OneOf(g.random, []string{
			"-1", "51", "0", "1e9", "99999999999999999999999", "", "abc", "%00", "%zz", "%", "true", "TRUE",
			"open,closed", "open,,", "null", "2026-03-31T16%3A00%3A00%2B00%3A00", "2026-13-41", "1;2", "+5", "0x10",
			"%ff", "۵",
		})
		query = strings.Trim(query+"&"+name+"="+value, "&")
	}
	d.path = strings.Join(segments, "/")
	if !strings.HasPrefix(d.path, "/") {
		d.path = "/" + d.path
	}
	if query != "" {
		d.path += "?" + query
	}
}

func (g *gunner) tamperHeader(d *draft) {
	switch g.random.IntN(6) {
	case 0:
		d.set("Accept", lab.OneOf(g.random, []string{
			"application/vnd.groundwork+json; version=2", "text/html", "application/vnd.x+json; version=abc", "", ";;;",
			"application/json;q=0", "*/*;q=x", strings.Repeat("a/b,", 500),
			"application/vnd.groundwork+json; version=1; version=9",
		}))
	case 1:
		d.set("Content-Type",
			lab.OneOf(g.random, []string{
				"text/plain", "", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
				"application/json; charset=latin1", "APPLICATION/JSON", "json", "\xff",
			}))
	case 2:
		d.set("Content-Encoding", lab.OneOf(g.random, []string{"gzip", "br", "identity", "x"}))
	case 3:
		name := lab.OneOf(g.random, []string{"If-Match", "If-None-Match"})
		d.set(name, lab.OneOf(g.random, []string{
			"", "x", "\"\"", "W/\"", "*, *", strings.Repeat("\"a\", ", 1000), "\"\xff\"", "\"1\"", "W/\"abc\"",
		}))
	case 4:
		d.set("Idempotency-Key", lab.OneOf(g.random, []string{
			"", " ", "a b", "ä", strings.Repeat("k", 256), strings.Repeat("k", 255), "\x7f", "'",
		}))
	default:
		d.set(lab.OneOf(g.random, []string{
			"X-Request-Id", "X-Forwarded-For", "Origin", "Range", "Cookie", "Referer", "X-HTTP-Method-Override",
			"Accept-Language", "Accept-Encoding", "User-Agent",
		}), lab.OneOf(g.random, append(texts[:20:20], "gzip;q=0", "DELETE", "bytes=0-1", strings.Repeat("z", 4000))))
		last := &d.headers[len(d.headers)-1]
		last.Value = strings.NewReplacer("\n", "", "\r", "").Replace(last.Value)
	}
}

// tamperBody spoils the JSON of a request, or its meaning.
func (g *gunner) tamperBody(d *draft) {
	if d.method != http.MethodGet && d.headers != nil && g.one(20) {
		d.set("Content-Type", "application/json")
	}
	text := string(d.body)
	n := len(text)
	cut := 0
	if n > 0 {
		cut = g.random.IntN(n)
	}
	member := func(value string) {
		if at := strings.IndexByte(text, '{'); at >= 0 {
			text = text[:at+1] + value + "," + text[at+1:]
			text = strings.Replace(text, ",}", "}", 1)
		} else {
			text = "{" + value + "}"
		}
	}
	switch g.random.IntN(16) {
	case 0:
		text = text[:cut]
	case 1:
		text = text[:cut] + string(rune(g.random.IntN(0x300))) + text[cut:]
	case 2:
		text = text[:cut] + string([]byte{byte(g.random.IntN(256))}) + text[min(n, cut+1):]
	case 3:
		text += lab.OneOf(g.random, []string{" ", "{}", ",", "x", "\x00", "]", "\n\n"})
	case 4:
		text = "\ufeff" + text
	case 5:
		text = lab.OneOf(g.random, []string{
			"", "null", "[]", "{}", "\"x\"", "1", "[{}]", "[null]", "true",
			"{\"a\":{\"a\":{}}}", " ", "nul", "{", "\"", "-", "1e400", "[[]]",
		})
	case 6:
		depth := lab.OneOf(g.random, []int{10, 31, 32, 33, 2000})
		member(`"title":` + strings.Repeat("[", depth) + strings.Repeat("]", depth))
	case 7:
		name := lab.OneOf(g.random, []string{
			"uid", "number", "created_at", "updated_at", "deleted", "Title", "TITLE",
			"nome", "", "\u0000", "name\u0000", "role", "assigned_to", "errors", "~p", strings.Repeat("n", 5000),
		})
		quoted, err := jsontext.AppendQuote(nil, name)
		if err == nil {
			member(string(quoted) + ":" + lab.OneOf(g.random, []string{"null", "1", "\"x\"", "true", "{}", "[]"}))
		}
	case 8:
		name := lab.OneOf(g.random, []string{
			"title", "name", "status", "type", "description", "due_at", "start_date", "end_date", "cost_impact",
			"schedule_impact", "has_cost_impact", "assigned_to", "issue_list_uid", "role_uid", "email", "room",
			"country", "method", "path", "body", "headers",
		})
		member(`"` + name + `":` + lab.OneOf(g.random, []string{
			"1", "-0", "1e2", "1e400", "0.001", "1.005", "99999999999999999999", "\"\"", "\" \"", "\"\\u0000\"",
			"\"\\ud800\"", "\"\\udc00\\ud800\"", "[]", "[1]", "[null]", "[\"\"]", "[[]]", "{}", "true", "false", "null",
			"\"2026-02-30\"",
			"\"0000-00-00\"", "\"a,b\"", "\",\"", "\"" + strings.Repeat("x", 256) + "\"",
			"\"" + strings.Repeat("é", 255) + "\"", "1E-7", "123456789012345.67", "-1",
		}))
	case 9:
		if at := strings.IndexByte(text, ':'); at > 0 && strings.HasPrefix(text, "{\"") {
			member(text[1:at] + ":1") // the same name twice
		}
	case 10:
		text = strings.ReplaceAll(text, "\"", "'")
	case 11:
		text = strings.Replace(text, ":", ":\xff", 1)
	case 12:
		text = strings.ToUpper(text)
	case 13:
		if g.one(40) {
			member(`"description":"` + strings.Repeat("y", 1<<20) + `"`)
		} else {
			member(`"description":"` + strings.Repeat("y", lab.OneOf(g.random, []int{65535, 65536, 70000})) + `"`)
		}
	case 14:
		text = "[" + text + "]"
	default:
		text = "[" + strings.Repeat(`{"method":"GET","path":"/me"},`, g.random.IntN(60)) + text + "]"
	}
	d.body = []byte(text)
}

// noise makes a request that has little to do with the document.
func (g *gunner) noise() draft {
	d := draft{method: lab.OneOf(g.random, []string{"GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"})}
	for range 1 + g.random.IntN(5) {
		d.path += "/" + lab.OneOf(g.random, []string{
			"projects", g.project, "issues", "users", "invites", "me", "batch", "rate_limits", "roles", "x",
			"%F0%9F%8F%97", "favicon.ico", "oauth", "token", ".env", "healthz", "readyz", g.uid("issues"),
		})
	}
	if g.one(3) {
		d.path += "?" + strings.Map(func(r rune) rune {
			if r <= ' ' || r == '#' || r > '~' {
				return '_'
			}
			return r
		}, lab.OneOf(g.random, texts)) + "=" + strconv.Itoa(g.random.IntN(100))
	}
	g.credentials(&d)
	if d.method != "GET" && d.method != "HEAD" {
		d.set("Content-Type", "application/json")
		body := make([]byte, g.random.IntN(200))
		for i := range body {
			body[i] = byte(g.random.IntN(256))
		}
		d.body = body
		if g.one(2) {
			d.body = g.json(g.object(lab.OneOf(g.random, g.f.doc.Routes).Body, 0))
		}
	}
	return d
}

// garbage is what no HTTP client sends. The connection ends with the answer.
func (g *gunner) garbage(index int64) *shot {
	lines := lab.OneOf(g.random, []string{
		"GET\r\n\r\n", "GET /me\r\n\r\n", "GET /me HTTP/1.1\r\n\r\n", "GET /me HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"G=T /me HTTP/1.1\r\nHost: a\r\n\r\n", "GET me HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /me HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", "GET /me HTTP/1.1\r\nHost: a\r\nA B: x\r\n\r\n",
		"POST /batch HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
		"POST /batch HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n[]",
		"POST /batch HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
		"GET /me HTTP/1.1\r\nHost: a\x00b\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET http://evil.example/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /me HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 40_000) + "\r\n\r\n",
		"GET /me HTTP/1.1\r\nHost: a\r\nExpect: the worst\r\nConnection: close\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET /me HTTP/1.0\r\n\r\n",
		"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n", "GET /me HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n",
	})
	method, _, _ := strings.Cut(lines, " ")
	return &shot{index: index, raw: bytes.Clone([]byte(lines)), method: method, path: "*", broken: true}
}

package archive

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// The pages show every record of every kind, in any browser, from the unpacked folder: no server, no scripts. They know
// no kind: a record is a list of its fields. All texts are escaped; addresses are made of names that were looked at.

// perPage is how many records a page shows.
const perPage = 200

// reader makes the pages.
type reader struct {
	*exporter
	files    map[string]*fileLine
	attached map[string][]string // by what they are attached to
	linked   map[string][]string // by their owner
	titles   map[string]string
	person   map[string]*personLine
}

// pages writes a page for each kind, and the one that leads to them.
func (e *exporter) pages(ctx context.Context) error {
	r := &reader{
		exporter: e, files: map[string]*fileLine{}, attached: map[string][]string{}, linked: map[string][]string{},
		titles: map[string]string{}, person: map[string]*personLine{},
	}
	for i := range e.files {
		r.files[e.files[i].Object] = &e.files[i]
	}
	for i := range e.people {
		r.person[e.people[i].UID] = &e.people[i]
	}
	if err := r.gather(ctx); err != nil {
		return err
	}
	if err := e.w.whole(indexEntry, r.index()); err != nil {
		return err
	}
	for i := range e.kinds {
		if err := r.kind(ctx, &e.kinds[i]); err != nil {
			return err
		}
	}
	return nil
}

// gather notes how records are called, and what belongs to which.
func (r *reader) gather(ctx context.Context) error {
	for i := range r.kinds {
		k := &r.kinds[i]
		err := r.eachRecord(ctx, k, func(row store.Row) error {
			of := k.Plural + "/" + row.UID
			r.titles[of] = title(row.Doc)
			if p := r.person[row.UID]; p != nil && k.Number == auth.KindMember {
				r.titles[of] = p.name()
			}
			to, err := k.AttachedTo(row)
			if err == nil && to != "" {
				r.attached[string(to)] = append(r.attached[string(to)], of)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return r.each(ctx, "links", func(t store.Table, c *store.Cols) error {
		owner, err := r.path(store.ID(c.Int(t.Index("owner"))))
		if err != nil {
			return err
		}
		target, err := r.path(store.ID(c.Int(t.Index("target"))))
		r.linked[owner] = append(r.linked[owner], target)
		return err
	})
}

// called are the fields by one of which a record is called, the best first.
var called = []string{"title", "name", "label", "version_name", "content", "text", "description"}

// title is how a record is called; "" where nothing tells.
func title(doc []byte) string {
	var fields map[string]jsontext.Value
	if json.Unmarshal(doc, &fields) != nil {
		return ""
	}
	for _, name := range called {
		var text string
		if json.Unmarshal(fields[name], &text) == nil && strings.TrimSpace(text) != "" {
			return clip(text)
		}
	}
	return ""
}

func clip(text string) string {
	const most = 120
	if all := []rune(text); len(all) > most {
		return string(all[:most]) + "…"
	}
	return text
}

func (p *personLine) name() string {
	var words []string
	for _, w := range []*string{p.FirstName, p.LastName} {
		if w != nil {
			words = append(words, *w)
		}
	}
	return cmp.Or(strings.Join(words, " "), p.Email)
}

const head = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'">
<title>%s</title><style>
:root{color-scheme:light dark;--rule:#8885;--dim:#888}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.2}h2{font-size:1.05rem;margin:0 0 .25rem}
section{border-top:1px solid var(--rule);padding:1rem 0}
dl{display:grid;grid-template-columns:minmax(7rem,12rem) 1fr;gap:.1rem 1rem;margin:0}
dt{color:var(--dim)}dd{margin:0;white-space:pre-wrap}
table{border-collapse:collapse;width:100%%}td,th{text-align:left;padding:.3rem 1rem .3rem 0;border-top:1px solid var(--rule)}
img{max-width:20rem;max-height:20rem;display:block;margin:.25rem 0}.dim{color:var(--dim)}
@media(max-width:32rem){dl{grid-template-columns:1fr}dt{margin-top:.3rem}}
</style></head><body>
`

func (r *reader) index() []byte {
	var b strings.Builder
	name := ""
	for i := range r.kinds {
		if r.kinds[i].Self {
			name = cmp.Or(r.titles[r.kinds[i].Plural+"/"+r.project], name)
		}
	}
	name = cmp.Or(name, r.project)
	fmt.Fprintf(&b, head, html.EscapeString(name))
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p>This is the archive of a project, as of %s. The pages below show its records; "+
		"the lists for programs lie in <code>records</code>, the files in <code>files</code>. "+
		"<a href=\"README.txt\">README.txt</a> says more.</p>\n<table><tr><th>What</th><th>How many</th></tr>\n",
		html.EscapeString(name), html.EscapeString(clock(moment(r.at.Clock))))
	for i := range r.kinds {
		k := &r.kinds[i]
		if n := len(r.uids[k.Number]); n > 0 {
			fmt.Fprintf(&b, "<tr><td><a href=\"%s\">%s</a></td><td>%d</td></tr>\n", pagePath(k, 1), heading(k), n)
		}
	}
	b.WriteString("</table>\n<h2 style=\"margin-top:2rem\">People</h2>\n<table><tr><th>Name</th><th>Address</th><th>Company</th></tr>\n")
	for i := range r.people {
		p := &r.people[i]
		company := ""
		if p.Company != nil {
			company = *p.Company
		}
		fmt.Fprintf(&b, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", html.EscapeString(p.name()),
			html.EscapeString(p.Email), html.EscapeString(company))
	}
	b.WriteString("</table>\n</body></html>\n")
	return []byte(b.String())
}

// heading is what the records of a kind are called, for people: by the plural, with the letters of the name.
func heading(k *resource.Declared) string {
	words, named := strings.Split(k.Plural, "_"), strings.Fields(k.Name)
	for i := range min(len(words), len(named)) {
		if rest, is := strings.CutPrefix(words[i], strings.ToLower(named[i])); is {
			words[i] = named[i] + rest
		}
	}
	text := strings.Join(words, " ")
	return html.EscapeString(strings.ToUpper(text[:1]) + text[1:])
}

// pagePath is where page n of a kind lies, from 1.
func pagePath(k *resource.Declared, n int) string {
	if n == 1 {
		return pagesFolder + k.Plural + ".html"
	}
	return fmt.Sprintf("%s%s-%d.html", pagesFolder, k.Plural, n)
}

// kind writes the pages of a kind.
func (r *reader) kind(ctx context.Context, k *resource.Declared) error {
	total := len(r.uids[k.Number])
	if total == 0 {
		return nil
	}
	last := (total + perPage - 1) / perPage
	err := r.eachRecord(ctx, k, func(row store.Row) error {
		n := int(row.ID.Ordinal())
		page := (n-1)/perPage + 1
		if (n-1)%perPage == 0 {
			if err := r.w.begin(pagePath(k, page)); err != nil {
				return err
			}
			fmt.Fprintf(r.w, head, heading(k))
			fmt.Fprintf(r.w, "<p><a href=\"../index.html\">Overview</a></p>\n<h1>%s</h1>\n", heading(k))
			fmt.Fprint(r.w, turn(k, page, last))
		}
		doc, err := r.outward(k, row.ID.Ordinal(), row.Clock, row.Doc)
		if err != nil {
			return err
		}
		text, err := r.record(k, row, doc)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(r.w, text); err != nil || n%perPage != 0 && n != total {
			return err
		}
		fmt.Fprint(r.w, turn(k, page, last), "</body></html>\n")
		return r.w.end(false)
	})
	return err
}

// turn leads to the pages beside.
func turn(k *resource.Declared, page, last int) string {
	if last == 1 {
		return ""
	}
	before, after := "", ""
	if page > 1 {
		before = fmt.Sprintf("<a href=%q>Earlier</a> ", path.Base(pagePath(k, page-1)))
	}
	if page < last {
		after = fmt.Sprintf(" <a href=%q>Later</a>", path.Base(pagePath(k, page+1)))
	}
	return fmt.Sprintf("<p>%sPage %d of %d%s</p>\n", before, page, last, after)
}

// record shows a record.
func (r *reader) record(k *resource.Declared, row store.Row, doc []byte) (string, error) {
	of := k.Plural + "/" + row.UID
	var b strings.Builder
	mark := ""
	if row.Deleted {
		mark = " <span class=\"dim\">(deleted)</span>"
	}
	fmt.Fprintf(&b, "<section id=\"%s\"><h2>%s%s</h2>\n<dl>", html.EscapeString(anchor(row.UID)),
		html.EscapeString(cmp.Or(r.titles[of], k.Name+" "+row.UID)), mark)
	d := jsontext.NewDecoder(strings.NewReader(string(doc)))
	if _, err := d.ReadToken(); err != nil {
		return "", err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return "", err
		}
		field := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return "", err
		}
		if field == "uid" || field == "deleted" {
			continue // the one comes last, the other is in the heading
		}
		shown := r.value(field, value)
		if k.Number == auth.KindMember && strings.HasPrefix(string(value), `{"~m":`) {
			shown = r.ofPerson(row.UID, field)
		}
		if shown != "" {
			fmt.Fprintf(&b, "<dt>%s</dt><dd>%s</dd>\n", label(field), shown)
		}
	}
	fmt.Fprintf(&b, "<dt>uid</dt><dd class=\"dim\">%s</dd></dl>\n", html.EscapeString(row.UID))
	for _, list := range [][]string{r.linked[of], r.attached[of]} {
		for _, to := range list {
			fmt.Fprintf(&b, "<p>%s</p>\n", r.leads(to))
		}
	}
	b.WriteString("</section>\n")
	return b.String(), nil
}

// label is what a field is called, for people.
func label(field string) string {
	return html.EscapeString(strings.ReplaceAll(strings.TrimSuffix(field, "_url"), "_", " "))
}

// stamped is the form of moments in documents.
var stamped = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{6})?\+00:00$`)

// clock is a moment for people, and any other text as it is.
func clock(text string) string { return stamped.ReplaceAllString(text, "$1 $2 UTC") }

func anchor(uid string) string { return "u-" + uid }

// ofPerson shows what a team record shows of its account.
func (r *reader) ofPerson(uid, field string) string {
	p := r.person[uid]
	if p == nil {
		return ""
	}
	text := map[string]*string{
		"email": &p.Email, "first_name": p.FirstName, "last_name": p.LastName, "language": p.Language,
		"company": p.Company, "title": p.Title,
	}[field]
	if text == nil {
		return ""
	}
	return html.EscapeString(*text)
}

// leads is a link to a record.
func (r *reader) leads(to string) string {
	plural, uid := document.Ref(to).Split()
	k := r.byPlural[plural]
	if k == nil {
		return html.EscapeString(uid)
	}
	n := r.ordinals[k.Number][uid]
	address := path.Base(pagePath(k, (int(n)-1)/perPage+1)) + "#" + anchor(uid)
	return fmt.Sprintf("<a href=\"%s\">%s: %s</a>", html.EscapeString(address), html.EscapeString(k.Name),
		html.EscapeString(cmp.Or(r.titles[to], uid)))
}

// value shows a value; "" where there is nothing to show.
func (r *reader) value(field string, v jsontext.Value) string {
	switch v.Kind() {
	case 'n':
		return ""
	case '"':
		var text string
		_ = json.Unmarshal(v, &text) // it was read as JSON before
		return html.EscapeString(clock(text))
	case '[':
		var all []jsontext.Value
		_ = json.Unmarshal(v, &all)
		var shown []string
		for _, one := range all {
			if text := r.value(field, one); text != "" {
				shown = append(shown, text)
			}
		}
		return strings.Join(shown, ", ")
	case '{':
		return r.object(field, v)
	default:
		return html.EscapeString(string(v))
	}
}

func (r *reader) object(field string, v jsontext.Value) string {
	var fields map[string]jsontext.Value
	_ = json.Unmarshal(v, &fields)
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 1 && strings.HasPrefix(names[0], "~") {
		var text string
		if json.Unmarshal(fields[names[0]], &text) != nil {
			text = string(fields[names[0]])
		}
		return r.placeholder(field, names[0][1:], text)
	}
	if person := fields["uid"]; strings.HasPrefix(string(person), `{"~`) {
		return r.value(field, person) // what kind of person it is says nothing here
	}
	var shown []string
	for _, name := range names {
		if text := r.value(name, fields[name]); text != "" {
			shown = append(shown, html.EscapeString(name)+": "+text)
		}
	}
	return strings.Join(shown, "; ")
}

func (r *reader) placeholder(field, name, text string) string {
	switch name {
	case namePerson, namePersonUID:
		if p := r.person[text]; p != nil {
			return html.EscapeString(p.name())
		}
	case nameState:
		for i := range r.kinds {
			if to := r.kinds[i].Plural + "/" + text; r.titles[to] != "" {
				return html.EscapeString(r.titles[to])
			}
		}
	case nameReference:
		return r.leads(text)
	case nameFile:
		return r.file(field, text)
	case nameUpdated, nameNumber:
		return html.EscapeString(clock(text))
	}
	return ""
}

// file is a link to a file, or the picture itself where it is a small one.
func (r *reader) file(field, object string) string {
	f := r.files[object]
	if f == nil || f.Path == nil {
		return ""
	}
	address := html.EscapeString("../" + *f.Path)
	picture := slices.Contains([]string{".jpg", ".png", ".gif", ".webp"}, path.Ext(*f.Path))
	if picture && strings.Contains(field, "thumbnail") {
		return fmt.Sprintf("<a href=\"%s\"><img loading=\"lazy\" src=\"%s\" alt=\"\"></a>", address, address)
	}
	return fmt.Sprintf("<a href=\"%s\">%s</a>", address, html.EscapeString(f.Name))
}

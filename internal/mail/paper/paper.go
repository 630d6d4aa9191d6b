// Package paper owns how a letter looks in a mail program: what it says, set in HTML that the usual readers show alike.
// Mail programs know little of CSS, so there are tables, styles in place and no pictures; colours stay the reader's own
// where they can, so that a dark scheme keeps working. It refuses to decide what is said, and it makes no link but
// those that it is given as links: texts are escaped wherever they stand. Its entry point is Page.HTML.
package paper

import (
	_ "embed"
	"html/template"
	"strings"
)

// House is who writes: what an installation is called, and its public address.
type House struct{ Name, Base string }

// DefaultName is what an installation is called whose operator chose nothing else.
const DefaultName = "Groundwork"

// Link is an address of ours, and what it is called.
type Link struct{ Label, Address string }

// Page is a letter. Everything but addresses may be text that strangers chose.
type Page struct {
	House string
	// Title is for programs that show a letter in a window of its own; Preview is what lists of letters show beside the
	// subject.
	Title, Preview string
	Hello          string
	Parts          []Part
	// Button is what the letter asks its reader to do; its address stands below it, for those whose program shows no
	// buttons. Without an address there is none.
	Button Link
	// Foot says why the letter came, and where that can be changed.
	Foot     string
	FootLink Link
}

// Part is a paragraph, perhaps about something that can be opened, and with what somebody said of it.
type Part struct {
	Text string
	// On is what it is about.
	On    Link
	Quote string
}

//go:embed page.html
var source string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	// Outlook on Windows knows no widest width: it gets a table of just that one. Templates drop comments, so they come
	// by a function.
	"forOutlook": func(which string) template.HTML { return outlook[which] },
}).Parse(source))

var outlook = map[string]template.HTML{
	"open": `<!--[if mso]><table role="presentation" align="center" width="600" cellpadding="0" cellspacing="0"` +
		` border="0"><tr><td><![endif]-->`,
	"close": `<!--[if mso]></td></tr></table><![endif]-->`,
}

// HTML writes the letter.
func (p Page) HTML() string {
	if p.House == "" {
		p.House = DefaultName
	}
	var out strings.Builder
	if err := page.Execute(&out, p); err != nil {
		panic(err) // the template and its data are both fixed: a test renders all of it
	}
	return out.String()
}

package paper_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"groundwork/internal/mail/paper"
)

// spiked is text as a stranger might choose it.
const spiked = `<a href="https://evil.example/">x</a> & "q" 'q' <script>alert(1)</script> javascript:alert(1)`

func whole() paper.Page {
	return paper.Page{
		House: "House " + spiked, Title: "Title " + spiked, Preview: "Preview " + spiked, Hello: "Hello " + spiked,
		Parts: []paper.Part{
			{Text: "Paragraph " + spiked},
			{
				Text: "About " + spiked, On: paper.Link{Label: "Record " + spiked, Address: "https://build.example.com/r/1"},
				Quote: "Quote " + spiked,
			},
			{Text: "Again", On: paper.Link{Label: "Other", Address: "https://build.example.com/r/2"}},
		},
		Button:   paper.Link{Label: "Press " + spiked, Address: "https://build.example.com/go?a=1&b=2"},
		Foot:     "Foot " + spiked,
		FootLink: paper.Link{Label: "account " + spiked, Address: "https://build.example.com/account"},
	}
}

// read takes a letter apart as a mail program does: its elements, where its links lead, and its text.
func read(t *testing.T, letter string) (elements map[string]int, links []string, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(letter))
	if err != nil {
		t.Fatal(err)
	}
	elements = map[string]int{}
	var said strings.Builder
	for n := range root.Descendants() {
		switch n.Type {
		case html.TextNode:
			said.WriteString(n.Data + " ")
		case html.ElementNode:
			elements[n.Data]++
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "background" {
					t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
				}
				if a.Key == "href" {
					links = append(links, a.Val)
				}
			}
		}
	}
	return elements, links, strings.Join(strings.Fields(said.String()), " ")
}

// TestStrangersMakeNoLinks: whatever people choose stands there as text, and the only links are those that were given.
func TestStrangersMakeNoLinks(t *testing.T) {
	elements, links, text := read(t, whole().HTML())
	want := []string{
		"https://build.example.com/r/1", "https://build.example.com/r/2", "https://build.example.com/go?a=1&b=2",
		"https://build.example.com/go?a=1&b=2", "https://build.example.com/account",
	}
	if !slices.Equal(links, want) {
		t.Errorf("links to %q", links)
	}
	for _, name := range []string{"script", "style", "img", "link", "iframe", "form", "svg", "object", "base"} {
		if elements[name] > 0 {
			t.Errorf("there is a <%s>", name)
		}
	}
	for _, part := range []string{
		"House", "Title", "Preview", "Hello", "Paragraph", "About", "Record", "Quote", "Press", "Foot", "account",
	} {
		if !strings.Contains(text, part+" "+spiked) {
			t.Errorf("%s is not said as it is: %s", part, text)
		}
	}
	if !strings.Contains(text, "open this address: https://build.example.com/go?a=1&b=2") ||
		strings.Contains(text, "https://build.example.com/r/") {
		t.Errorf("addresses that can be read: %s", text)
	}
}

// TestReaders holds what the usual programs need: a width they keep, the scheme of the reader, and a preview.
func TestReaders(t *testing.T) {
	letter := whole().HTML()
	for _, needed := range []string{
		`<meta name="color-scheme" content="light dark">`, "max-width:600px", `width="600"`, `<!--[if mso]>`,
		`<meta name="viewport"`, `lang="en"`, "display:none", `role="presentation"`, `bgcolor="#a8420e"`,
	} {
		if !strings.Contains(letter, needed) {
			t.Errorf("there is no %s", needed)
		}
	}
	if tables := strings.Count(letter, "<table"); tables != strings.Count(letter, "</table>") ||
		tables != strings.Count(letter, `role="presentation"`) {
		t.Errorf("%d tables are opened, and not all closed or without a role", tables)
	}
}

// TestLittle: a letter without most things has none of their frames, and is the installation's.
func TestLittle(t *testing.T) {
	letter := paper.Page{Parts: []paper.Part{{Text: "Only this."}}}.HTML()
	_, links, text := read(t, letter)
	if text != "Groundwork Only this." || len(links) != 0 || strings.Contains(letter, "a8420e") ||
		strings.Contains(letter, "border-top") {
		t.Errorf("%q, %q: %s", text, links, letter)
	}
}

// TestNoOtherSchemes: an address that is none of a page leads nowhere.
func TestNoOtherSchemes(t *testing.T) {
	for _, address := range []string{"javascript:alert(1)", "data:text/html,x", "vbscript:x"} {
		_, links, _ := read(t, paper.Page{Button: paper.Link{Label: "x", Address: address}}.HTML())
		for _, link := range links {
			if link == address {
				t.Errorf("a link leads to %s", link)
			}
		}
	}
}

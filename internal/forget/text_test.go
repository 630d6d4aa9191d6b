package forget

import (
	"strings"
	"testing"

	"groundwork/internal/identity"
)

// texts are those of Zoë O'Hara-Quist, whose address has a plus and a domain with an umlaut.
func texts(t *testing.T, further ...string) *Texts {
	t.Helper()
	first, last := "Zoë", `O'Hara-Quist`
	f := facts{Further: further}
	f.add(identity.Shown{Email: "Zoe.Q+site@bücher.example", FirstName: &first, LastName: &last})
	all, err := f.texts(identity.ErasedAs("u1"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Names and addresses are found in whatever way they were written, and nothing else is.
func TestReplace(t *testing.T) {
	all := texts(t, "the Quistmobile", "0171-5550")
	const name, address = "Erased person", "erased-u1@erased.invalid"
	for text, want := range map[string]string{
		"":                                                   "",
		"Ask Zoë O'Hara-Quist.":                              "Ask " + name + ".",
		"ZOË o'hara-quist":                                   name,
		"Zoe\u0308\nO'Hara-Quist":                            name, // the accent apart
		"O'Hara-Quist, Zoë: yes":                             name + ": yes",
		"Zoë_O'Hara-Quist_CV.pdf":                            name + "_CV.pdf",
		"Zoë O'Hara-Quistson":                                "Zoë O'Hara-Quistson", // another name
		"Mezoë O'Hara-Quist":                                 "Mezoë O'Hara-Quist",
		"Zoë":                                                "Zoë",
		"to zoe.q+SITE@bücher.example.":                      "to " + address + ".",
		"<Zoe.Q+site@xn--bcher-kva.example>":                 "<" + address + ">",
		"?m=zoe.q+site%40bücher.example&x":                   "?m=" + address + "&x",
		"azoe.q+site@bücher.example":                         "azoe.q+site@bücher.example",
		"zoe.q+site@bücher.example.org":                      "zoe.q+site@bücher.example.org",
		`{"a":"Zo\u00eb O'Hara-Quist","n":1.50}`:             `{"a":"` + name + `","n":1.50}`,
		`{"text":"Hi\nZoë\nO'Hara-Quist\n"}`:                 `{"text":"Hi\n` + name + `\n"}`,
		`{"kept":"{\"by\":\"Zoë O'Hara-Quist\"}"}`:           `{"kept":"{\"by\":\"` + name + `\"}"}`,
		`{"~p":3,"b":["zoe.q+site@bücher.example"], "c":{}}`: `{"~p":3,"b":["` + address + `"], "c":{}}`,
		`{"no JSON: Zoë O'Hara-Quist`:                        `{"no JSON: ` + name,
		"He drove the quistmobile, call 0171-5550":           "He drove [erased], call [erased]",
		"10171-5550":                                         "10171-5550",
	} {
		if got, _ := all.Replace(text); got != want {
			t.Errorf("%q became\n%q, want\n%q", text, got, want)
		}
	}
	long := strings.Repeat("A wall. ", 100_000) + "zoë o'hara-quist"
	if got, n := all.Replace(long); n != 1 || !strings.HasSuffix(got, "wall. "+name) {
		t.Errorf("in a long text %d were found", n)
	}
}

// A further text that would be found in half of all words is refused, and a name of one word is not looked for.
func TestTextsThatAreTooShort(t *testing.T) {
	first := "Max"
	f := facts{Further: []string{"M."}}
	f.add(identity.Shown{Email: "max@example.com", FirstName: &first})
	if _, err := f.texts(identity.ErasedAs("u1")); err == nil || !strings.Contains(err.Error(), `"M."`) {
		t.Error(err)
	}
	f.Further = nil
	all, err := f.texts(identity.ErasedAs("u1"))
	if err != nil {
		t.Fatal(err)
	}
	if got, n := all.Replace("Max and the max@example.com"); n != 1 || !strings.HasPrefix(got, "Max and") {
		t.Errorf("%d: %s", n, got)
	}
}

// How long something is kept is said as people say it.
func TestParseAge(t *testing.T) {
	for text, hours := range map[string]float64{"": 0, "36h": 36, " 30d ": 720, "2w": 336, "1y": 8760, "0d": 0} {
		if got, err := ParseAge(text); err != nil || got.Hours() != hours {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"d", "30", "-1d", "1.5d", "30 d", "forever", "200y", "99999999999d", "3m", "é"} {
		if got, err := ParseAge(text); err == nil || !strings.Contains(err.Error(), "such as 36h, 30d") {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	if err := (Rule{Deleted: 1}).Check(); err == nil || !strings.Contains(err.Error(), "--keep-deleted must be a day") {
		t.Error(err)
	}
}

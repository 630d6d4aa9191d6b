package notice

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"groundwork/internal/auth"
	"groundwork/internal/identity"
	"groundwork/internal/mail"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// letter makes mails about one project.
type letter struct {
	kinds                *resource.Catalog
	base, project, title string
	people               map[uint32]string
}

// name is how a member is called in a mail; whoever is not on the team any more, too.
func (l *letter) name(tx *store.Tx, person uint32) (string, error) {
	if known, ok := l.people[person]; ok {
		return known, nil
	}
	name := "Groundwork"
	row, ok, err := tx.At(auth.KindMember, person)
	if err != nil {
		return "", err
	}
	if ok {
		member, _, err := auth.PersonIn(tx, row)
		if err != nil {
			return "", err
		}
		if member != nil {
			name = identity.PlainName(member.Name(), member.Email)
		}
	}
	if l.people == nil {
		l.people = map[uint32]string{}
	}
	l.people[person] = name
	return name, nil
}

// How much of what people wrote a mail shows: it is read on a phone, and the rest is behind the link.
const (
	mostName    = 80
	mostTitle   = 120
	mostSaid    = 600
	mostSubject = 180
	mostEvents  = 50
)

// compose writes one mail with all that a person is to be told.
func (l *letter) compose(tx *store.Tx, to *identity.Account, n *news) (m mail.Message, err error) {
	more := len(n.topics) - len(n.events)
	var plain, rich strings.Builder
	plain.WriteString("Hello " + oneLine(to.Name(), mostName) + ",\n\n")
	rich.WriteString(`<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"></head><body style="font:16px/1.5 sans-serif;max-width:36em">` +
		"<p>Hello " + html.EscapeString(oneLine(to.Name(), mostName)) + ",</p>")
	subject := ""
	for _, ev := range n.events {
		by, err := l.name(tx, ev.by)
		if err != nil {
			return m, err
		}
		sentence, link := l.sentence(ev, by), l.base+"/r/"+l.project+"/"+ev.on.plural+"/"+ev.on.UID
		title := ev.on.titled()
		plain.WriteString(sentence + "\n" + title + "\n")
		rich.WriteString("<p>" + html.EscapeString(sentence) + `<br><a href="` + html.EscapeString(link) + `">` +
			html.EscapeString(title) + "</a></p>")
		if ev.said != nil {
			said := clip(strings.TrimSpace(*ev.said), mostSaid)
			plain.WriteString("\n> " + strings.ReplaceAll(said, "\n", "\n> ") + "\n")
			rich.WriteString(`<blockquote style="margin:0 0 1em;padding-left:1em;border-left:3px solid #ccc;white-space:pre-line">` + html.EscapeString(said) + "</blockquote>")
		}
		plain.WriteString(link + "\n\n")
		subject = fmt.Sprintf("[%s] %s: %s", identity.PlainName(l.title, "a project"), l.short(ev, by), title)
	}
	if len(n.topics) > 1 {
		subject = fmt.Sprintf("[%s] %d things for you", identity.PlainName(l.title, "a project"), len(n.topics))
	}
	if more > 0 {
		plain.WriteString(fmt.Sprintf("And %d more.\n\n", more))
		rich.WriteString(fmt.Sprintf("<p>And %d more.</p>", more))
	}
	why := "You get this because these are assigned to you, or you made them. Choose whether you do under Profile: "
	plain.WriteString("-- \n" + why + "\n" + l.base + "/account\n")
	rich.WriteString(`<p style="color:#666;font-size:14px">` + html.EscapeString(why) + `<a href="` +
		html.EscapeString(l.base+"/account") + `">your account</a></p></body></html>`)
	name := oneLine(to.Name(), mostName)
	if name == to.Email {
		name = ""
	}
	return mail.Message{
		To: mail.Address{Name: name, Email: to.MailTo()}, Subject: clip(subject, mostSubject),
		Text: plain.String(), HTML: rich.String(),
	}, nil
}

func (l *letter) sentence(ev event, by string) string {
	if ev.said != nil {
		return fmt.Sprintf("%s commented on %s #%d:", by, l.called(ev.on), ev.on.id.Ordinal())
	}
	return fmt.Sprintf("%s assigned %s #%d to you:", by, l.called(ev.on), ev.on.id.Ordinal())
}

func (l *letter) short(ev event, by string) string {
	if ev.said != nil {
		return fmt.Sprintf("%s on %s #%d", by, l.called(ev.on), ev.on.id.Ordinal())
	}
	return fmt.Sprintf("%s #%d is yours", l.called(ev.on), ev.on.id.Ordinal())
}

// called is what a record is called inside a sentence: issue, RFI.
func (l *letter) called(r *record) string {
	name := l.kinds.Name(r.plural)
	if strings.ToUpper(name) == name {
		return name
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// titled is the title of a record, or what stands for it.
func (r *record) titled() string {
	if r.Title != nil {
		if title := oneLine(*r.Title, mostTitle); title != "" {
			return title
		}
	}
	return "(no title)"
}

// oneLine keeps what people chose themselves on one line.
func oneLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	return clip(strings.Join(strings.Fields(s), " "), most)
}

// clip keeps the beginning of a text.
func clip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}

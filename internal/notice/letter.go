package notice

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"groundwork/internal/auth"
	"groundwork/internal/identity"
	"groundwork/internal/mail"
	"groundwork/internal/mail/paper"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// letter makes mails about one project.
type letter struct {
	kinds                       *resource.Catalog
	house, base, project, title string
	people                      map[uint32]string
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
	hello := "Hello " + oneLine(to.Name(), mostName) + ","
	page := paper.Page{House: l.house, Hello: hello}
	var plain strings.Builder
	plain.WriteString(hello + "\n\n")
	subject := ""
	for _, ev := range n.events {
		by, err := l.name(tx, ev.by)
		if err != nil {
			return m, err
		}
		sentence, link := l.sentence(ev, by), l.base+"/r/"+l.project+"/"+ev.on.plural+"/"+ev.on.UID
		title := ev.on.titled()
		plain.WriteString(sentence + "\n" + title + "\n")
		part := paper.Part{Text: sentence, On: paper.Link{Label: title, Address: link}}
		if ev.said != nil {
			part.Quote = clip(strings.TrimSpace(*ev.said), mostSaid)
			plain.WriteString("\n> " + strings.ReplaceAll(part.Quote, "\n", "\n> ") + "\n")
		}
		plain.WriteString(link + "\n\n")
		subject = fmt.Sprintf("[%s] %s: %s", identity.PlainName(l.title, "a project"), l.short(ev, by), title)
		if page.Preview == "" {
			page.Preview = sentence + " " + title
		}
		page.Parts = append(page.Parts, part)
		page.Button = paper.Link{
			Label: fmt.Sprintf("Open %s #%d", l.called(ev.on), ev.on.id.Ordinal()), Address: link,
		}
	}
	if len(n.topics) > 1 {
		subject = fmt.Sprintf("[%s] %d things for you", identity.PlainName(l.title, "a project"), len(n.topics))
	}
	if len(n.events) > 1 {
		page.Button = paper.Link{}
	}
	if more > 0 {
		plain.WriteString(fmt.Sprintf("And %d more.\n\n", more))
		page.Parts = append(page.Parts, paper.Part{Text: fmt.Sprintf("And %d more.", more)})
	}
	why := "You get this because these are assigned to you, or you made them. Choose whether you do under Profile: "
	plain.WriteString("-- \n" + why + "\n" + l.base + "/account\n")
	page.Foot, page.FootLink = why, paper.Link{Label: "your account", Address: l.base + "/account"}
	name := oneLine(to.Name(), mostName)
	if name == to.Email {
		name = ""
	}
	page.Title = clip(subject, mostSubject)
	return mail.Message{
		To: mail.Address{Name: name, Email: to.MailTo()}, Account: to.UID, Subject: page.Title,
		Text: plain.String(), HTML: page.HTML(), Unsubscribe: l.base + "/account",
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

package mail

import (
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Outcome is how it went to hand a message over.
type Outcome struct {
	// Server is host and port.
	Server string
	// Reached tells that there is a server, Admitted that it greeted this service and let it in, Accepted that it took
	// the message.
	Reached, Admitted, Accepted bool
	// TLS is the version of the encryption; "" where there was none.
	TLS string
	// Step is what came last, and Said what the server answered, or why there was no answer.
	Step Step
	Said string
}

// Step is a step of handing a message over.
type Step string

// What a server is told, one after the other.
const (
	StepSender    Step = "the sender"
	StepRecipient Step = "the recipient"
	StepContent   Step = "the letter"
)

// Sentence says how it went, and what to do where it did not go well.
func (o Outcome) Sentence() string {
	over := "without encryption"
	if o.TLS != "" {
		over = "over " + o.TLS
	}
	end := "."
	if o.Said != "" {
		end = ": " + o.Said
	}
	switch {
	case o.Accepted:
		return fmt.Sprintf("The mail server %s was reached %s and took the letter%s", o.Server, over, end)
	case !o.Reached:
		return fmt.Sprintf(
			"The mail server %s could not be reached%s Check --mail-url, and that this machine may connect to that port.",
			o.Server, closed(end))
	case !o.Admitted:
		return fmt.Sprintf(
			"The mail server %s was reached, but did not let this service in%s Check user, password and encryption in --mail-url.",
			o.Server, closed(end))
	}
	remedy := ""
	switch o.Step {
	case StepSender:
		remedy = " Check --mail-from: the server must allow this sender."
	case StepRecipient:
		remedy = " Nobody there has this address, or the server does not pass mail on for this service."
	case StepContent:
		remedy = " Ask whoever runs the server why."
	}
	return fmt.Sprintf("The mail server %s was reached %s and refused %s%s%s", o.Server, over, o.Step, closed(end), remedy)
}

// closed ends a part of a sentence with a full stop.
func closed(text string) string {
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// mostSaid is how much of what a server answers is kept.
const mostSaid = 300

// said is what a server answered, or why there was no answer, in one line.
func said(err error) string {
	if answer := (*textproto.Error)(nil); errors.As(err, &answer) {
		return OneLine(strconv.Itoa(answer.Code) + " " + answer.Msg)
	}
	if slow := net.Error(nil); errors.As(err, &slow) && slow.Timeout() {
		return "there was no answer in time"
	}
	return OneLine(err.Error())
}

// OneLine is what somebody else's server said, as it can be shown: on one line, and not long.
func OneLine(text string) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs) || r == utf8.RuneError:
			return -1
		}
		return r
	}, text)), " ")
	if utf8.RuneCountInString(text) > mostSaid {
		text = string([]rune(text)[:mostSaid-1]) + "…"
	}
	return text
}

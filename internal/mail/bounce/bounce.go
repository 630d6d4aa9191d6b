// Package bounce owns how a report is read that a letter could not be delivered: a delivery status notification as RFC
// 3464 has it, which mail servers send to a letter's sender. It refuses to believe one: whoever knows an address can
// write such a report. What it gives are the IDs of letters that the report names, and those carry a mark. Its entry
// point is Read.
package bounce

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
)

// Report is what a mail server says of a letter that it could not deliver.
type Report struct {
	// Failed tells that it gave up, and Status why, as RFC 3463 has it: 5.1.1 is an address that nobody has.
	Failed bool
	Status string
	// Said is what the server was answered; it is somebody else's text.
	Said string
	// Letters are the IDs that the report names, without their domains: first those of the letter that came back.
	Letters []string
}

// Permanent tells whether sending again cannot help. Who gives up after days says 4 at the beginning.
func (r Report) Permanent() bool { return r.Failed && strings.HasPrefix(r.Status, "5") }

// ErrNone is what is said of messages that are no such report: answers of people and programs, among others.
var ErrNone = errors.New("The message is no report on a delivery (RFC 3464).")

// MostBytes is how much of a message is read: a report may bring the whole letter along.
const MostBytes = 1 << 20

// How much of a report is looked at. It has three parts, and is about one recipient where the letter had one.
// mostStatus is what is read of the part that says so, and mostIDs how many letters count that a header names. Whoever
// knows an address can write a report, and the server reads it.
const (
	mostParts  = 10
	mostGroups = 20
	mostStatus = 64 << 10
	mostHeader = 8 << 10
	mostIDs    = 20
)

// Read reads a report; ErrNone where it is none. What is cut off is read as far as it came.
func Read(from io.Reader) (r Report, err error) {
	m, err := netmail.ReadMessage(bufio.NewReader(io.LimitReader(from, MostBytes)))
	if err != nil {
		return r, ErrNone
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/report" || !strings.EqualFold(params["report-type"], "delivery-status") ||
		params["boundary"] == "" {
		return r, ErrNone
	}
	status := false
	parts := multipart.NewReader(m.Body, params["boundary"])
	for range mostParts {
		part, err := parts.NextRawPart()
		if err != nil {
			break
		}
		body := decoded(part)
		switch kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); kind {
		case "message/delivery-status", "message/global-delivery-status":
			status = true
			r.recipients(body)
		case "message/rfc822", "text/rfc822-headers", "message/global", "message/global-headers":
			header, _ := textproto.NewReader(bufio.NewReader(io.LimitReader(body, mostStatus))).ReadMIMEHeader()
			r.name(header.Get("Message-Id"))
		}
	}
	if !status {
		return r, ErrNone
	}
	r.name(m.Header.Get("In-Reply-To"))
	r.name(m.Header.Get("References"))
	return r, nil
}

// decoded is the body of a part as it was before it was made fit for mail.
func decoded(part *multipart.Part) io.Reader {
	switch strings.ToLower(strings.TrimSpace(part.Header.Get("Content-Transfer-Encoding"))) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, part)
	case "quoted-printable":
		return quotedprintable.NewReader(part)
	}
	return part
}

// recipients reads the groups of lines that follow the first one, each about a recipient; the letters of this service
// have one. One that failed counts before those that did not.
func (r *Report) recipients(body io.Reader) {
	text, _ := io.ReadAll(io.LimitReader(body, mostStatus)) // as far as it came
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	for i, group := range strings.SplitN(string(text), "\n\n", mostGroups+1) {
		if r.Failed || i == mostGroups {
			return
		}
		fields, _ := textproto.NewReader(bufio.NewReader(strings.NewReader(strings.Trim(group, "\n") + "\n\n"))).
			ReadMIMEHeader()
		action, status := fields.Get("Action"), enhanced.FindString(fields.Get("Status"))
		if !strings.EqualFold(strings.TrimSpace(action), "failed") {
			continue
		}
		r.Failed, r.Status = true, status
		_, r.Said, _ = strings.Cut(fields.Get("Diagnostic-Code"), ";")
		if r.Said = strings.TrimSpace(r.Said); r.Said == "" {
			r.Said = strings.TrimSpace(fields.Get("Status"))
		}
	}
}

var (
	enhanced = regexp.MustCompile(`[245]\.[0-9]{1,3}\.[0-9]{1,3}`)
	ids      = regexp.MustCompile(`<([^<>@\s]{1,200})@[^<>@\s]{1,255}>`)
)

func (r *Report) name(header string) {
	header = header[:min(len(header), mostHeader)]
	for _, m := range ids.FindAllStringSubmatch(header, mostIDs) {
		if len(r.Letters) < mostIDs && !slices.Contains(r.Letters, m[1]) {
			r.Letters = append(r.Letters, m[1])
		}
	}
}

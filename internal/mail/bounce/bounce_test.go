package bounce_test

import (
	"encoding/base64"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/mail/bounce"
)

// report is a report as Postfix writes it, with what a test changes.
func report(action, status, code, id string) string {
	return strings.ReplaceAll(`Return-Path: <>
Date: Sun,  1 Mar 2026 08:30:02 +0000 (UTC)
From: MAILER-DAEMON@mail.example.org (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: groundwork@build.example.com
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="B4C1.1772353802/mail.example.org"

This is a MIME-encapsulated message.

--B4C1.1772353802/mail.example.org
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--B4C1.1772353802/mail.example.org
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.org
X-Postfix-Queue-ID: B4C1
Arrival-Date: Sun,  1 Mar 2026 08:30:01 +0000 (UTC)

Final-Recipient: rfc822; bert@example.org
Original-Recipient: rfc822;bert@example.org
Action: `+action+`
Status: `+status+`
Remote-MTA: dns; mx.example.org
`+code+`
--B4C1.1772353802/mail.example.org
Content-Description: Undelivered Message
Content-Type: message/rfc822

From: Groundwork <groundwork@build.example.com>
To: bert@example.org
Message-ID: `+id+`
Subject: Hello

There.

--B4C1.1772353802/mail.example.org--
`, "\n", "\r\n")
}

const code = "Diagnostic-Code: smtp; 550 5.1.1 <bert@example.org>: Recipient address\n    rejected: User unknown\n"

func TestRead(t *testing.T) {
	plain := report("failed", "5.1.1", code, "<a.b.c@build.example.com>")
	const said = "550 5.1.1 <bert@example.org>: Recipient address rejected: User unknown"
	coded := strings.Replace(plain, "Content-Type: message/rfc822\r\n", "Content-Type: text/rfc822-headers\r\nContent-Transfer-Encoding: base64\r\n", 1)
	at := strings.Index(coded, "From: Groundwork <")
	end := strings.LastIndex(coded, "\r\n--B4C1")
	coded = coded[:at] + base64.StdEncoding.EncodeToString([]byte(coded[at:end])) + coded[end:]
	for name, test := range map[string]struct {
		message   string
		permanent bool
		status    string
		said      string
		letters   []string
	}{
		"of Postfix":     {plain, true, "5.1.1", said, []string{"a.b.c"}},
		"with LF only":   {strings.ReplaceAll(plain, "\r\n", "\n"), true, "5.1.1", said, []string{"a.b.c"}},
		"headers, coded": {coded, true, "5.1.1", said, []string{"a.b.c"}},
		"an ID on a line of its own": {
			report("failed", "5.1.1", code, "\n <a.b.c@build.example.com>"), true, "5.1.1", said, []string{"a.b.c"},
		},
		"still tried": {report("delayed", "4.4.1", code, "<a@b.example>"), false, "", "", []string{"a"}},
		"given up after days": {
			report("failed", "4.4.7", "Diagnostic-Code: X-Notes; expired\n", "<a@b.example>"), false, "4.4.7", "expired",
			[]string{"a"},
		},
		"delivered":         {report("delivered", "2.0.0", "", "<a@b.example>"), false, "", "", []string{"a"}},
		"without a code":    {report("Failed", "5.2.2 (mailbox full)", "", "<a@b.example>"), true, "5.2.2", "5.2.2 (mailbox full)", []string{"a"}},
		"without a status":  {report("failed", "none", "", "<a@b.example>"), false, "", "none", []string{"a"}},
		"of another letter": {report("failed", "5.1.1", code, "nothing"), true, "5.1.1", said, nil},
		"named in a header": {
			strings.Replace(report("failed", "5.1.1", code, "nothing"), "Return-Path: <>",
				"In-Reply-To: <x@build.example.com>\r\nReferences: <y@build.example.com> <x@build.example.com>", 1),
			true, "5.1.1", said,
			[]string{"x", "y"},
		},
		"cut off in the letter": {plain[:strings.Index(plain, "Subject: Hello")], true, "5.1.1", said, []string{"a.b.c"}},
	} {
		got, err := bounce.Read(strings.NewReader(test.message))
		if err != nil || got.Permanent() != test.permanent || got.Status != test.status || got.Said != test.said ||
			!slices.Equal(got.Letters, test.letters) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestWhatIsNoReport(t *testing.T) {
	plain := report("failed", "5.1.1", code, "<a.b.c@build.example.com>")
	for name, message := range map[string]string{
		"nothing":           "",
		"no mail":           "hello",
		"somebody's answer": "From: a@b.example\r\nSubject: Re: Hello\r\nIn-Reply-To: <a.b.c@build.example.com>\r\n\r\nThanks!",
		"of another kind":   strings.Replace(plain, "report-type=delivery-status", "report-type=disposition-notification", 1),
		"without a kind":    strings.Replace(plain, "report-type=delivery-status", "x=y", 1),
		"without parts":     plain[:strings.Index(plain, "--B4C1")],
		"without its part":  strings.Replace(plain, "message/delivery-status", "text/plain", 1),
		"a wrong type":      strings.Replace(plain, "multipart/report;", "multipart/report;;;=", 1),
	} {
		if got, err := bounce.Read(strings.NewReader(message)); !errors.Is(err, bounce.ErrNone) || got.Permanent() {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestMuchIsNotRead: a message of any size costs no more than its beginning.
func TestMuchIsNotRead(t *testing.T) {
	many := strings.Repeat("<x@y.example> ", 100_000)
	plain := report("failed", "5.1.1", code, "<a.b.c@build.example.com>")
	got, err := bounce.Read(strings.NewReader(strings.Replace(plain, "Return-Path: <>", "References: <z@y.example> "+many[:200_000], 1)))
	if err != nil || len(got.Letters) > 20 || got.Letters[0] != "a.b.c" {
		t.Errorf("%d letters, %v", len(got.Letters), err)
	}
	endless := endlessly(strings.Repeat("a", 1000) + "\r\n")
	if _, err := bounce.Read(&endless); !errors.Is(err, bounce.ErrNone) {
		t.Errorf("%v", err)
	}
}

// TestStatusOfMuchIsNotRead: a part of many groups, or of much else, costs little of the server that reads it, and
// whatever stands first in it counts.
func TestStatusOfMuchIsNotRead(t *testing.T) {
	const most = 8 << 20
	plain := report("failed", "5.1.1", code, "<a.b.c@build.example.com>")
	for name, much := range map[string]string{
		"groups": strings.Repeat("a\n\n", 300_000), "fields": strings.Repeat("A: b\n", 150_000) + "\n",
		"other recipients": strings.Repeat("Action: relayed\n\n", 50_000),
		"one long line":    strings.Repeat("A", 900_000) + "\n\n",
	} {
		for _, test := range []struct {
			message string
			failed  bool
		}{
			{strings.Replace(plain, "Final-Recipient", much+"Final-Recipient", 1), false},
			{strings.Replace(plain, "\r\n\r\nFinal-Recipient", "\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"+much+"\r\nX", 1), true},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := bounce.Read(strings.NewReader(test.message))
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; err != nil || got.Failed != test.failed || took > most {
				t.Errorf("%s: %v, %v, and %d KB were taken", name, got.Failed, err, took>>10)
			}
		}
	}
	long := strings.Replace(plain, "Return-Path: <>", "References: "+strings.Repeat("<a", 100_000)+" <x@y.example>", 1)
	if got, err := bounce.Read(strings.NewReader(long)); err != nil || !slices.Equal(got.Letters, []string{"a.b.c"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

type endlessly string

func (e *endlessly) Read(to []byte) (int, error) { return copy(to, *e), nil }

func FuzzRead(f *testing.F) {
	f.Add([]byte(report("failed", "5.1.1", code, "<a.b.c@build.example.com>")))
	f.Add([]byte(report("delayed", "4.4.1", "", "<>")))
	f.Add([]byte("Content-Type: multipart/report; report-type=delivery-status; boundary=x\n\n--x\nContent-Type: message/delivery-status\n\n\n\nAction: failed\nStatus: 5\n--x--"))
	f.Fuzz(func(t *testing.T, message []byte) {
		r, err := bounce.Read(strings.NewReader(string(message)))
		if err != nil && !errors.Is(err, bounce.ErrNone) {
			t.Fatal(err)
		}
		for _, letter := range r.Letters {
			if letter == "" || strings.ContainsAny(letter, "<>@ \r\n") {
				t.Fatalf("a letter %q", letter)
			}
		}
		if r.Permanent() && (!r.Failed || len(r.Letters) > 20) {
			t.Fatalf("%+v", r)
		}
	})
}

package main

import "testing"

// An answer is the same however it arrives.
func TestAnswerInPieces(t *testing.T) {
	for _, one := range []struct {
		text   string
		status int
		body   string
	}{
		{"HTTP/1.1 304 Not Modified\r\nEtag: \"a\"\r\n\r\n", 304, ""},
		{"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nEtag: \"a\"\r\n\r\nhello", 200, "hello"},
		{
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nEtag: \"a\"\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", 200,
			"hello",
		},
	} {
		for first := range len(one.text) {
			for second := first; second < len(one.text); second++ {
				var a answer
				a.expect(true)
				var in []byte
				for _, piece := range []string{one.text[:first], one.text[first:second], one.text[second:]} {
					if a.part == ended {
						t.Fatalf("%q ended before %q", one.text, piece)
					}
					rest, err := a.take(append(in, piece...))
					if err != nil {
						t.Fatal(err)
					}
					in = append([]byte(nil), rest...)
				}
				if a.part != ended || a.status != one.status || string(a.body) != one.body ||
					a.header("ETag") != `"a"` {
					t.Fatalf("%q cut at %d and %d: %+v", one.text, first, second, a)
				}
			}
		}
		var a answer
		a.expect(false)
		if _, err := a.take([]byte(one.text + "x")); err == nil {
			t.Errorf("%q and a byte more are taken", one.text)
		}
	}
}

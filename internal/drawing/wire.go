package drawing

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// order is what a child is asked to do.
type order struct {
	Task    string
	Details jsontext.Value

	*hatch `json:"-"` // in the child: how it comes by files
}

// answer is what a child gives back: a sentence about what is wrong with the file, what else went wrong, or a result.
type answer struct {
	Bad, Cause string
	Trouble    string
	Result     jsontext.Value
	// Last says that the child ends after this answer.
	Last bool
}

// message is what a child says: one of these.
type message struct {
	// Walls says, as the first thing, what stands around the child.
	Walls *Walls
	// Wants asks for a file that lies in the workshop, Makes for a new one.
	Wants, Makes string
	// Reached is how far a long task is.
	Reached *int
	Answer  *answer
}

// grant comes with a file that a child asked for, or says why there is none.
type grant struct{ Trouble string }

const (
	// mostOrder bounds an order: a report of thousands of issues takes tens of megabytes.
	mostOrder = 256 << 20
	// mostMessage bounds what the service reads of a child, which a file may have taken over: what is read of a set of
	// 10,000 pages with 100,000 references takes 20 MB.
	mostMessage = 32 << 20
	// mostRequest bounds what a child says that is not an answer, its walls included, and mostGrant what it is told
	// with a file.
	mostRequest, mostGrant = 4 << 10, 1 << 10
	// mostSentence bounds what an answer says of a file, which people read, and mostCause what it says for the log: a
	// stack of calls.
	mostSentence, mostCause = 1 << 10, 16 << 10
)

// framed is a value with its length in front.
func framed(value any, most int) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if len(text) > most {
		return nil, fmt.Errorf("an answer of %d bytes is too long", len(text))
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...), nil
}

// send writes one value with its length in front.
func send(w io.Writer, value any, most int) error {
	text, err := framed(value, most)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// receive reads one value that send wrote.
func receive(r io.Reader, value any, most int) error {
	_, err := received(r, value, most)
	return err
}

// hear reads what a child says: an answer may be long, anything else not. What is too long, also in an answer for
// people, is errHostile.
func hear(r io.Reader, most int) (m message, err error) {
	n, err := received(r, &m, most)
	switch a := m.Answer; {
	case err != nil:
		return m, err
	case a == nil && n > mostRequest:
		err = fmt.Errorf("%w: %d bytes that are no answer", errHostile, n)
	case a != nil && (len(a.Bad) > mostSentence || len(a.Cause) > mostCause || len(a.Trouble) > mostCause):
		err = fmt.Errorf("%w: it says too much in its answer", errHostile)
	}
	return m, err
}

// received is receive, and says how long the value was.
func received(r io.Reader, value any, most int) (int, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if uint64(n) > uint64(most) {
		return 0, fmt.Errorf("an answer of %d bytes is too long", n)
	}
	// The buffer grows with what arrives, so that a length alone takes no memory.
	text, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return 0, err
	}
	if len(text) < int(n) {
		return 0, io.ErrUnexpectedEOF
	}
	return len(text), json.Unmarshal(text, value)
}

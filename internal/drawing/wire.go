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
	Task string
	// File is the input, Place an empty folder for results, Cache a folder that outlives the child.
	File, Place, Cache string
	// Processors is how many the child may use; 0: all.
	Processors int
	Details    jsontext.Value
}

// answer is what a child gives back: a sentence about what is wrong with the file, what else went wrong, or a result.
type answer struct {
	Bad, Cause string
	Trouble    string
	Result     jsontext.Value
	// Last says that the child ends after this answer.
	Last bool
}

// mostFrame bounds what either side will read: the text of the densest page takes a few megabytes.
const mostFrame = 256 << 20

// send writes one value with its length in front.
func send(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if len(text) > mostFrame {
		return fmt.Errorf("an answer of %d bytes is too long", len(text))
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}

// receive reads one value that send wrote.
func receive(r io.Reader, value any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > mostFrame {
		return fmt.Errorf("an answer of %d bytes is too long", n)
	}
	// The buffer grows with what arrives, so that a length alone takes no memory.
	text, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return err
	}
	if len(text) < int(n) {
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(text, value)
}

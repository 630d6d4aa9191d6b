package api

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/klauspost/compress/zstd"

	"groundwork/internal/fault"
)

// mostFlows bounds the answers that are sent as they are made, each of which may hold a compressor of about a megabyte;
// flowsOfAccount those of one account: a person with several browsers who opens several projects at once.
const mostFlows, flowsOfAccount = 64, 8

var flowing = sync.Pool{New: func() any {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(256<<10),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderConcurrency(1))
	return w
}}

// InBatch tells whether the call is part of a batch.
func (c *Call) InBatch() bool { return c.nested }

// SendFlow answers with JSON of any length, compressed and sent while write makes it: it has no place among the
// requests in flight, and takes no more memory than write does. An error that comes after the answer has begun cuts it
// off, so that nobody takes it for whole.
func (c *Call) SendFlow(write func(out io.Writer) error) error {
	if c.status != 0 {
		return errSent
	}
	if err := c.hold(&c.edge.flows, "walks", ofAccount(c.payer(), flowsOfAccount)); err != nil {
		return err
	}
	c.beginStream()
	h := c.w.Header()
	h["Content-Type"] = typeJSON
	h.Add("Vary", "Accept-Encoding")
	coding := chooseCoding(c.r.Header["Accept-Encoding"])
	if coding != identityCoding {
		h["Content-Encoding"] = coding.header()
	}
	c.status = http.StatusOK
	c.w.WriteHeader(c.status)
	if c.r.Method == http.MethodHead {
		return nil
	}
	out := &outflow{call: c, control: http.NewResponseController(c.w)}
	if err := coding.through(&partly{c, out}, func(w io.Writer) error { return write(&counting{c, w}) }); err != nil {
		var known *fault.Error
		if errors.As(err, &known) {
			c.problem = err // of a caller who left there is nothing to say
		}
		panic(http.ErrAbortHandler)
	}
	return nil
}

// partly sends an answer whose account may go by turns: it takes a turn for each part that it makes, and none while a
// part is on its way to a caller who may be slow.
type partly struct {
	call *Call
	out  io.Writer
}

func (w *partly) Write(p []byte) (int, error) {
	w.call.endTurn()
	n, err := w.out.Write(p)
	if err == nil {
		_ = w.call.takeTurn() // who waited for too long goes on: what was begun is sent whole
	}
	return n, err
}

// counting counts what an answer has before it is compressed.
type counting struct {
	call *Call
	out  io.Writer
}

func (w *counting) Write(p []byte) (int, error) {
	w.call.moved += len(p)
	return w.out.Write(p)
}

// through compresses what write makes on its way to out.
func (c coding) through(out io.Writer, write func(io.Writer) error) error {
	type compressor interface {
		io.WriteCloser
		Reset(io.Writer)
	}
	var pool *sync.Pool
	switch c {
	case zstandard:
		pool = &flowing
	case gzipped:
		pool = &gzips
	case deflated:
		pool = &zlibs
	default:
		return write(out)
	}
	w := pool.Get().(compressor)
	w.Reset(out)
	err := write(w)
	if err == nil {
		err = w.Close()
	}
	w.Reset(nil)
	pool.Put(w)
	return err
}

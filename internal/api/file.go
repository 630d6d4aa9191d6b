package api

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"groundwork/internal/fault"
)

// File is an answer that is a file.
type File struct {
	Content io.ReadSeeker
	// Project is the uid of the project that it belongs to, in whose share of the downloads it counts.
	Project string
	// Type and Disposition are what headers say of it.
	Type, Disposition string
	// Tag is the entity tag without quotes; it stands for the bytes.
	Tag      string
	Modified time.Time
	// MaxAge is how long the caller may keep it.
	MaxAge time.Duration
	// Unchanging says that its address never has another content.
	Unchanging bool
}

var sandboxed = []string{"default-src 'none'; sandbox"}

// SendFile answers with a file, or with the ranges of it that the request asks for, or with 304 when the caller has it:
// fault.Unsatisfiable for a range beyond its end. Nothing in it can run in a browser.
func (c *Call) SendFile(f File) error {
	if c.status != 0 {
		return errSent
	}
	shares := ofAddress(c.address(), downOfAddress, downOfSite)
	if f.Project != "" {
		shares = append(shares, ofProject(f.Project, downOfProject))
	}
	if err := c.hold(&c.edge.down, "downloads", shares...); err != nil {
		return err
	}
	c.beginStream()
	h := c.w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Disposition", f.Disposition)
	h["Content-Security-Policy"] = sandboxed
	h.Set("ETag", `"`+f.Tag+`"`)
	keep := "private, max-age=" + strconv.FormatInt(int64(f.MaxAge/time.Second), 10)
	if f.Unchanging {
		keep += ", immutable"
	}
	h.Set("Cache-Control", keep)
	out := &outflow{call: c, control: http.NewResponseController(c.w)}
	http.ServeContent(out, c.r, "", f.Modified, f.Content)
	switch {
	case out.refused == http.StatusRequestedRangeNotSatisfiable:
		h.Del("Content-Disposition")
		h["Content-Type"] = typeJSON
		return fault.New(fault.Unsatisfiable, "The range %s lies beyond the end of the file.", clip(c.Header("Range")))
	case out.refused == http.StatusPreconditionFailed:
		h.Del("Content-Disposition")
		h["Content-Type"] = typeJSON
		return fault.New(fault.Precondition, "The file is not the one that If-Match names.")
	case out.refused != 0:
		return errors.New("api: the file could not be read: " + strconv.Itoa(out.refused))
	}
	var known *fault.Error
	if errors.As(out.err, &known) {
		return out.err // the store failed; of a caller who left there is nothing to say
	}
	return nil
}

// Piece is a small answer that never changes under its address.
type Piece struct {
	Content []byte
	Type    string
	// Tag is the entity tag without quotes.
	Tag string
	// MaxAge is how long the address is good.
	MaxAge time.Duration
}

// crossOrigin lets pages of every site show it.
var crossOrigin = []string{"cross-origin"}

// SendPiece answers with a piece as it is, or with 304 when the caller has it. Whoever has its address may keep it, and
// show it on any page; a cache that serves others may not, since addresses are taken back.
func (c *Call) SendPiece(p Piece) error {
	if c.status != 0 {
		return errSent
	}
	h := c.w.Header()
	h.Set("Cache-Control", "private, max-age="+strconv.FormatInt(int64(p.MaxAge/time.Second), 10)+", immutable")
	h["Content-Security-Policy"], h["Cross-Origin-Resource-Policy"] = sandboxed, crossOrigin
	if c.Fresh(p.Tag) {
		return nil
	}
	h.Set("Content-Type", p.Type)
	return c.write(http.StatusOK, p.Content)
}

// Found sends the caller to another address for this once, with 302.
func (c *Call) Found(to string) error {
	if c.status != 0 {
		return errSent
	}
	c.SetHeader("Location", to)
	return c.write(http.StatusFound, nil)
}

// outflow is an answer that must keep moving. The text that net/http would write for an error is left out.
type outflow struct {
	call    *Call
	control *http.ResponseController
	refused int
	err     error
}

func (w *outflow) Header() http.Header { return w.call.w.Header() }

func (w *outflow) WriteHeader(status int) {
	if status >= 400 {
		w.refused = status
		return
	}
	w.call.status = status
	w.call.w.WriteHeader(status)
}

func (w *outflow) Write(p []byte) (int, error) {
	if w.refused != 0 {
		return len(p), nil
	}
	if w.call.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if err := w.extend(len(p)); err != nil {
		return 0, err
	}
	return w.call.w.Write(p)
}

func (w *outflow) extend(n int) error {
	within := w.call.edge.down.patience() + time.Duration(n/leastPace)*time.Second
	return w.control.SetWriteDeadline(time.Now().Add(within))
}

// stride is how much is sent under one deadline.
const stride = 1 << 20

// ReadFrom hands the source on as it is, so that a file of the system is sent by the system.
func (w *outflow) ReadFrom(src io.Reader) (sent int64, err error) {
	rest, bounded := src.(*io.LimitedReader)
	if !bounded {
		rest = &io.LimitedReader{R: src, N: 1<<63 - 1}
	}
	for rest.N > 0 && err == nil {
		if err = w.extend(stride); err != nil {
			break
		}
		part := io.LimitedReader{R: rest.R, N: min(stride, rest.N)}
		var n int64
		n, err = io.Copy(w.call.w, &part)
		sent += n
		rest.N -= n
		if n == 0 && err == nil {
			break
		}
	}
	w.err = err
	return sent, err
}

package api

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// leastCompressed is the size from which an answer is worth compressing.
const leastCompressed = 1024

// coding is a way to compress an answer.
type coding uint8

// The codings, in the order in which they are preferred when the client likes them equally.
const (
	identityCoding coding = iota
	zstandard
	gzipped
	deflated
	codings
)

var codingNames = [codings][]string{zstandard: {"zstd"}, gzipped: {"gzip"}, deflated: {"deflate"}}

func (c coding) header() []string { return codingNames[c] }

// chooseCoding picks the coding that the Accept-Encoding headers like best; identityCoding without them.
func chooseCoding(accept []string) coding {
	if len(accept) == 0 {
		return identityCoding
	}
	// Thousandths; -1 is not named, and then * speaks for it.
	quality, others := [codings]int{-1, -1, -1, -1}, -1
	for _, header := range accept {
		for header != "" {
			var one string
			one, header, _ = strings.Cut(header, ",")
			name, params, _ := strings.Cut(one, ";")
			q := readQuality(params)
			switch name = strings.Trim(name, " \t"); {
			case name == "*":
				others = q
			case strings.EqualFold(name, "zstd"):
				quality[zstandard] = q
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
				quality[gzipped] = q
			case strings.EqualFold(name, "deflate"):
				quality[deflated] = q
			case strings.EqualFold(name, "identity"):
				quality[identityCoding] = q
			}
		}
	}
	// Identity that is not named is acceptable, but less welcome than whatever is.
	best, most := identityCoding, max(quality[identityCoding], 0)
	for c := zstandard; c < codings; c++ {
		q := quality[c]
		if q < 0 {
			q = others
		}
		if q > most || q > 0 && q == most && best == identityCoding {
			best, most = c, q
		}
	}
	return best
}

// readQuality reads the q of parameters in thousandths: 1000 without one, 0 when it is malformed.
func readQuality(params string) int {
	for params != "" {
		var one string
		one, params, _ = strings.Cut(params, ";")
		name, value, _ := strings.Cut(strings.Trim(one, " \t"), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return int(q * 1000)
		}
	}
	return 1000
}

var (
	gzips = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		return w
	}}
	zlibs = sync.Pool{New: func() any {
		w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed)
		return w
	}}
	zstds = sync.OnceValue(func() *zstd.Encoder {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(256<<10),
			zstd.WithLowerEncoderMem(true))
		return w
	})
)

// compress appends body to out. Writing to memory cannot fail.
func (c coding) compress(out *bytes.Buffer, body []byte) {
	switch c {
	case zstandard:
		out.Grow(len(body) / 2)
		out.Write(zstds().EncodeAll(body, out.AvailableBuffer()))
	case gzipped:
		w := gzips.Get().(*gzip.Writer)
		w.Reset(out)
		_, _ = w.Write(body)
		_ = w.Close()
		gzips.Put(w)
	case deflated:
		w := zlibs.Get().(*zlib.Writer)
		w.Reset(out)
		_, _ = w.Write(body)
		_ = w.Close()
		zlibs.Put(w)
	}
}

// weaken makes an ETag weak: compressed bytes are not the same bytes.
func weaken(h http.Header) {
	if tag := h.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		h.Set("ETag", "W/"+tag)
	}
}

package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// uploader sends spans to a collector by OTLP over HTTP. The library's own would bring gRPC into the program, which
// speaks it with nobody.
type uploader struct {
	url    string
	header http.Header
	client *http.Client
	gzip   bool
	within time.Duration // for all attempts at one batch
}

// Start has nothing to do: connections are made when there is something to send.
func (u *uploader) Start(context.Context) error { return nil }

// Stop closes connections.
func (u *uploader) Stop(context.Context) error {
	u.client.CloseIdleConnections()
	return nil
}

// The pauses between attempts at one batch.
const firstPause, longestPause = 500 * time.Millisecond, 5 * time.Second

// UploadTraces sends a batch, again where the collector is busy.
func (u *uploader) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// The request of the protocol has this one field, with this number.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	if u.gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	ctx, cancel := context.WithTimeout(ctx, u.within)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		after, err := u.send(ctx, body)
		if err == nil || after < 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(max(pause, after)):
		}
	}
}

// mostAnswer is how much of an answer is read.
const mostAnswer = 64 << 10

// send tries once. after is how long to wait before trying again; -1 is never.
func (u *uploader) send(ctx context.Context, body []byte) (after time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.url, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	r.Header = u.header.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", scope)
	if u.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := u.client.Do(r)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err // without the address, which may hold a secret
		}
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, mostAnswer))
	switch {
	case answer.StatusCode < 300:
		return 0, nil
	case answer.StatusCode == http.StatusTooManyRequests, answer.StatusCode == http.StatusBadGateway,
		answer.StatusCode == http.StatusServiceUnavailable, answer.StatusCode == http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return time.Duration(max(seconds, 0)) * time.Second, fmt.Errorf("the collector answers %s", answer.Status)
	}
	return -1, fmt.Errorf("the collector answers %s", answer.Status)
}

package blob

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"

	"groundwork/internal/fault"
)

// stall is how long nothing may move between the service and the store before an exchange is given up. A link that was
// cut, or is open at one end only, says nothing by itself.
const stall = 7 * time.Second

var errStalled = errors.New("nothing came from the store, and it took nothing, for " + stall.String())

// line is the way to the store. It ends exchanges in which nothing moves.
type line struct {
	transport *http.Transport
	stall     time.Duration
}

func newLine() *line {
	stall := stall
	if plantedPatient {
		stall = time.Hour
	}
	dialer := &net.Dialer{Timeout: stall / 2, KeepAlive: 15 * time.Second}
	return &line{stall: stall, transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: stall / 2,
		MaxIdleConnsPerHost: 32, IdleConnTimeout: 30 * time.Second,
		DisableCompression: true,
	}}
}

// watch ends a context when nobody has touched it for the time of a stall.
type watch struct {
	timer *time.Timer
	stall time.Duration
	end   context.CancelCauseFunc
}

type watchKey struct{}

func (l *line) watch(ctx context.Context) (context.Context, *watch) {
	ctx, end := context.WithCancelCause(ctx)
	w := &watch{time.AfterFunc(l.stall, func() { end(errStalled) }), l.stall, end}
	return context.WithValue(ctx, watchKey{}, w), w
}

func (w *watch) touch() { w.timer.Reset(w.stall) }
func (w *watch) pause() { w.timer.Stop() }

func (w *watch) close() {
	w.timer.Stop()
	w.end(nil)
}

// exchange runs one exchange with the store. Its error is a fault, or that of a caller who left.
func (l *line) exchange(ctx context.Context, do func(context.Context) error) error {
	watched, w := l.watch(ctx)
	defer w.close()
	return l.judge(ctx, watched, do(watched))
}

// judge says what an error of an exchange means.
func (l *line) judge(ctx, watched context.Context, err error) error {
	var f *fault.Error
	switch {
	case err == nil || errors.As(err, &f):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(watched), errStalled):
		// Other connections that rest in the pool may be as dead.
		l.transport.CloseIdleConnections()
		return unavailable(errStalled)
	case isMissing(err):
		return missing()
	case isFull(err):
		return full(err)
	}
	return unavailable(err)
}

// RoundTrip counts every piece of a body, in either direction, as a sign of life.
func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	w, _ := r.Context().Value(watchKey{}).(*watch)
	if w == nil {
		return l.transport.RoundTrip(r)
	}
	if r.Body != nil && r.Body != http.NoBody {
		r = r.Clone(r.Context())
		r.Body = &living{r.Body, w}
	}
	answer, err := l.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	w.touch()
	answer.Body = &living{answer.Body, w}
	return answer, nil
}

// living is a body whose movement is noticed.
type living struct {
	io.ReadCloser
	watch *watch
}

func (b *living) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.watch.touch()
	}
	return n, err
}

func isMissing(err error) bool {
	switch minio.ToErrorResponse(err).Code {
	case "NoSuchKey", "NotFound", "NoSuchUpload":
		return true
	}
	return false
}

func isFull(err error) bool {
	answer := minio.ToErrorResponse(err)
	switch answer.Code {
	case "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientCapacity", "StorageFull":
		return true
	}
	return answer.StatusCode == http.StatusInsufficientStorage
}

// explain says what an operator can do about an error of the store.
func explain(err error) string {
	var network net.Error
	switch answer := minio.ToErrorResponse(err); {
	case answer.Code == "NoSuchBucket":
		return "there is no such bucket; make it, or correct --blob-url"
	case answer.Code == "InvalidAccessKeyId" || answer.Code == "SignatureDoesNotMatch" ||
		answer.Code == "InvalidToken" || answer.Code == "ExpiredToken":
		return "the store does not accept the credentials (" + answer.Code +
			"); check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or those in --blob-url"
	case answer.Code == "AuthorizationHeaderMalformed" || answer.Code == "PermanentRedirect" ||
		answer.Code == "InvalidRegion":
		return "the bucket is in another region; say which with region=REGION in --blob-url"
	case answer.Code == "RequestTimeTooSkewed":
		return "the clocks of the store and of this machine differ by more than the store allows; set them right"
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return "the store refuses access (" + err.Error() +
			"); check the credentials, which must allow to read, write, list and delete objects in the bucket"
	case errors.Is(err, errStalled) || errors.As(err, &network):
		return "the store does not answer: " + err.Error()
	}
	return err.Error()
}

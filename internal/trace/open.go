package trace

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/net/http/httpguts"
)

// scope is what spans of this service are called after.
const scope = "groundwork"

// Open reads the variables by which OpenTelemetry is set up everywhere, and gives nil where they ask for nothing: no
// endpoint is set, or OTEL_SDK_DISABLED is true. An error says which variable is wrong. Nothing is sent yet.
func Open(ctx context.Context, version string, log *slog.Logger) (*Tracer, error) {
	u, err := uploaderOf(os.Getenv)
	if u == nil || err != nil {
		return nil, err
	}
	if err := checkLibrary(os.Getenv); err != nil {
		return nil, err
	}
	// The machine, its user and the command line, which may hold secrets, are not among what spans say.
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", scope), attribute.String("service.version", version),
		attribute.String("service.instance.id", strings.ToLower(rand.Text())),
	), resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES cannot be read: write it as NAME=VALUE,NAME=VALUE.")
	}
	otel.SetErrorHandler(&told{log: log})
	exporter, err := otlptrace.New(ctx, u)
	if err != nil {
		return nil, err
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return &Tracer{tracer: provider.Tracer(scope), provider: provider}, nil
}

// Check says which of the variables is wrong.
func Check() error {
	u, err := uploaderOf(os.Getenv)
	if u == nil || err != nil {
		return err
	}
	return checkLibrary(os.Getenv)
}

const (
	base   = "OTEL_EXPORTER_OTLP_"
	within = 10 * time.Second
)

// uploaderOf is where spans are sent, and how; nil where nothing is.
func uploaderOf(getenv func(string) string) (*uploader, error) {
	// A variable for traces alone wins over the one for everything.
	of := func(name string) (value, from string) {
		if value := strings.TrimSpace(getenv(base + "TRACES_" + name)); value != "" {
			return value, base + "TRACES_" + name
		}
		return strings.TrimSpace(getenv(base + name)), base + name
	}
	endpoint, from := of("ENDPOINT")
	exporter := strings.TrimSpace(getenv("OTEL_TRACES_EXPORTER"))
	if endpoint == "" || strings.EqualFold(strings.TrimSpace(getenv("OTEL_SDK_DISABLED")), "true") || exporter == "none" {
		return nil, nil
	}
	if exporter != "" && exporter != "otlp" {
		return nil, errors.New("OTEL_TRACES_EXPORTER must be otlp or none: this service sends spans by no other way.")
	}
	if protocol, from := of("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("%s must be http/protobuf, or be left out: this service speaks no other protocol. Collectors take it on port 4318.", from)
	}
	at, err := url.Parse(endpoint)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, fmt.Errorf("%s must be an address such as http://127.0.0.1:4318.", from) // it may hold a secret
	}
	if from == base+"ENDPOINT" {
		at = at.JoinPath("v1", "traces")
	}
	u := &uploader{url: at.String(), within: within, header: http.Header{}}
	if u.header, err = headersOf(of("HEADERS")); err != nil {
		return nil, err
	}
	switch compression, from := of("COMPRESSION"); compression {
	case "", "none":
	case "gzip":
		u.gzip = true
	default:
		return nil, fmt.Errorf("%s must be gzip or none.", from)
	}
	if text, from := of("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return nil, fmt.Errorf("%s must be a number of milliseconds, such as 10000.", from)
		}
		u.within = time.Duration(ms) * time.Millisecond
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if path, from := of("CERTIFICATE"); path != "" {
		pem, err := os.ReadFile(path)
		pool := x509.NewCertPool()
		if err != nil || !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s must name a file of certificates (PEM) that this user can read.", from)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	u.client = &http.Client{Transport: transport}
	return u, nil
}

// headersOf reads NAME=VALUE,NAME=VALUE, with values as in addresses.
func headersOf(text, from string) (http.Header, error) {
	headers := http.Header{}
	for one := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		name, value, is := strings.Cut(one, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !is || err != nil || name == "" {
			return nil, fmt.Errorf("%s must be of the form NAME=VALUE,NAME=VALUE.", from)
		}
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(plain) {
			return nil, fmt.Errorf("%s has a name or a value that no header can have: names are of letters, digits and -, values without line breaks.", from)
		}
		headers.Set(name, plain)
	}
	return headers, nil
}

// samplers are what OTEL_TRACES_SAMPLER can be.
var samplers = []string{
	"", "always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
	"parentbased_traceidratio",
}

// bounded are the numbers that the library takes as they are, however little sense they make, and their most: how many
// spans are held and sent at once, and milliseconds.
var bounded = []struct {
	name string
	most int
}{
	{"OTEL_BSP_MAX_QUEUE_SIZE", 1 << 16},
	{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1 << 16},
	{"OTEL_BSP_SCHEDULE_DELAY", 1e7},
	{"OTEL_BSP_EXPORT_TIMEOUT", 1e7},
}

// checkLibrary holds what the library reads itself, and would only mutter about, or fall over.
func checkLibrary(getenv func(string) string) error {
	for _, b := range bounded {
		text := strings.TrimSpace(getenv(b.name))
		if n, err := strconv.Atoi(text); text != "" && (err != nil || n < 1 || n > b.most) {
			return fmt.Errorf("%s must be a whole number from 1 to %d.", b.name, b.most)
		}
	}
	name := strings.ToLower(strings.TrimSpace(getenv("OTEL_TRACES_SAMPLER")))
	if !slices.Contains(samplers, name) {
		return fmt.Errorf("OTEL_TRACES_SAMPLER must be one of: %s.", strings.Join(samplers[1:], ", "))
	}
	text := strings.TrimSpace(getenv("OTEL_TRACES_SAMPLER_ARG"))
	if share, err := strconv.ParseFloat(text, 64); strings.HasSuffix(name, "ratio") && text != "" &&
		(err != nil || !(share >= 0 && share <= 1)) {
		return errors.New("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.1 for every tenth.")
	}
	return nil
}

// told has the log hear of what the library could not do, once in a while.
type told struct {
	log  *slog.Logger
	mu   sync.Mutex
	last time.Time
}

const tellEvery = 5 * time.Minute

// Handle is called by the library.
func (t *told) Handle(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last.IsZero() || time.Since(t.last) > tellEvery {
		t.last = time.Now()
		t.log.Warn("spans cannot be sent to the collector; requests do not wait for it", "error", err)
	}
}

package app

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"groundwork/internal/redact"
)

// metricLine is a line of the table in docs/operating.md: name, type, labels.
var metricLine = regexp.MustCompile("(?m)^\\| `(groundwork_\\w+)` \\| (\\w+) \\| ([^|]*) \\|")

// TestMetricsAreDocumented holds the table of docs/operating.md against the metrics of an installation that has
// everything, both ways.
func TestMetricsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]string{}
	for _, m := range metricLine.FindAllStringSubmatch(string(text), -1) {
		if written[m[1]] != "" {
			t.Errorf("docs/operating.md has %s twice", m[1])
		}
		written[m[1]] = m[2] + " " + strings.ReplaceAll(strings.ReplaceAll(m[3], "`", ""), ",", "")
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			c := sharing(Config{Data: filepath.Join(t.TempDir(), "data"), Log: discard(), MetricsToken: "metrics-token-for-tests"})
			if engine == "postgres" {
				c.DatabaseURL = secretURL(t)
			} else {
				c.Backups.To, c.Backups.Continuous = t.TempDir(), true
			}
			shown := metricsOf(t, c)
			for name, how := range shown {
				if written[name] != how {
					t.Errorf("docs/operating.md says of %s: %q; it is: %q", name, written[name], how)
				}
			}
			for name := range written {
				if shown[name] == "" && !(engine == "postgres" && shippedOnly[name]) {
					t.Errorf("docs/operating.md has %s, which no server shows", name)
				}
			}
			if len(shown) < 30 {
				t.Errorf("only %d metrics were shown", len(shown))
			}
		})
	}
}

// shippedOnly are of continuous backups, which a database server does itself.
var shippedOnly = map[string]bool{
	"groundwork_backup_shipped_seconds": true, "groundwork_backup_waiting_seconds": true,
	"groundwork_backup_compared_seconds": true, "groundwork_backup_waiting_files": true,
}

// metricsOf gives the type and the labels of the service's own metrics.
func metricsOf(t *testing.T, c Config) map[string]string {
	t.Helper()
	a, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	edge, err := a.Edge("http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.countFiles(t.Context()); err != nil {
		t.Fatal(err)
	}
	edge.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/healthz", nil))
	families, err := edge.Metrics().(prometheus.Gatherer).Gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "groundwork_") {
			shown[f.GetName()] = strings.ToLower(f.GetType().String()) + " " + strings.Join(labelsOf(f), " ")
		}
	}
	return shown
}

func labelsOf(f *dto.MetricFamily) (names []string) {
	for _, m := range f.GetMetric() {
		for _, pair := range m.GetLabel() {
			if !slices.Contains(names, pair.GetName()) {
				names = append(names, pair.GetName())
			}
		}
	}
	return names
}

// TestMetricsNameNobody holds that no label says whose something is: there are as many series as kinds of things, not
// as projects or accounts.
func TestMetricsNameNobody(t *testing.T) {
	for name, how := range metricsOf(t, sharing(Config{Data: filepath.Join(t.TempDir(), "data"), Log: discard(), MetricsToken: redact.Secret("metrics-token-for-tests")})) {
		_, labels, _ := strings.Cut(how, " ")
		for label := range strings.FieldsSeq(labels) {
			if !slices.Contains([]string{
				"version", "engine", "part", "kind", "result", "why", "task", "of", "method", "route", "status",
			}, label) {
				t.Errorf("%s has the label %s", name, label)
			}
		}
	}
}

// Package check holds the dashboard and the alert rules against the metrics of a server that was really started.
package check

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// started is what a server prints once it serves.
var started = regexp.MustCompile(`^Groundwork .* serves (http://\S+) on `)

// metrics starts the program with everything that has metrics of its own, and gives what it shows.
func metrics(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	program := os.Getenv("GROUNDWORK_PROGRAM")
	if program == "" {
		program = "../../bin/groundwork"
	}
	program, err := filepath.Abs(program)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("There is no program at %s: run make build first, or name it with GROUNDWORK_PROGRAM.", program)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(stop)
	serve := exec.CommandContext(ctx, program, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0",
		"--backup-to", t.TempDir(), "--backup-continuous", "--drawing-sandbox", "relaxed", "--log-level", "warn")
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	serve.Env, serve.Stderr = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, os.Stderr
	out, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	address := ""
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		if m := started.FindStringSubmatch(lines.Text()); m != nil {
			address = m[1]
		}
	}
	t.Cleanup(func() {
		stop()
		_ = serve.Wait()
	})
	if address == "" {
		t.Fatal("The server did not start.")
	}
	if answer := get(t, address+"/healthz"); answer.StatusCode != http.StatusOK {
		t.Fatalf("/healthz: %s", answer.Status)
	}
	families, err := parse(t, get(t, address+"/metrics"))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func parse(t *testing.T, answer *http.Response) (map[string]*dto.MetricFamily, error) {
	t.Helper()
	reader := expfmt.NewTextParser(model.UTF8Validation)
	return reader.TextToMetricFamilies(answer.Body)
}

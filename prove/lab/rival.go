package lab

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
)

// RivalCommand runs the rival, a plain server such as a first version of anything might be: no bound on bodies and
// headers, no deadlines, whatever a batch asks for is done, and a fixed number of connections. Experiments about abuse
// have it as their control.
const RivalCommand = "rival"

// StartRival starts the rival in a process of its own and gives its address.
func StartRival(t *Trial, connections int) (base string, pid int, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", 0, err
	}
	cmd := exec.CommandContext(t, self, RivalCommand, "--connections", fmt.Sprint(connections))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", 0, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	t.AtEnd(func() error {
		_ = cmd.Process.Kill() // its end is not of interest
		_ = cmd.Wait()
		return nil
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	return "http://" + strings.TrimSpace(address), cmd.Process.Pid, err
}

// ServeRival is the process of the rival.
func ServeRival(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet(RivalCommand, flag.ContinueOnError)
	connections := flags.Int("connections", 256, "how many connections are served at once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	server := &http.Server{Handler: rivalHandler(), MaxHeaderBytes: 1 << 30}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	err = server.Serve(&bounded{Listener: l, free: make(chan struct{}, *connections)})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func rivalHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var body io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			if z, err := gzip.NewReader(r.Body); err == nil {
				body = z
			}
		}
		text, _ := io.ReadAll(body)
		var v any
		_ = json.Unmarshal(text, &v)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"uid":"1","bytes":%d}`, len(text))
	})
	mux.HandleFunc("POST /batch", func(w http.ResponseWriter, r *http.Request) {
		var parts []struct{ Method, Path, Body string }
		_ = json.NewDecoder(r.Body).Decode(&parts)
		type done struct {
			Status  int        `json:"status_code"`
			Headers [][]string `json:"headers"`
			Body    string     `json:"body"`
		}
		results := []done{}
		for _, p := range parts {
			part, err := http.NewRequestWithContext(r.Context(), p.Method, p.Path, strings.NewReader(p.Body))
			if err != nil {
				results = append(results, done{Status: http.StatusInternalServerError})
				continue
			}
			kept := httptest.NewRecorder()
			mux.ServeHTTP(kept, part)
			results = append(results, done{Status: kept.Code, Body: kept.Body.String()})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": results})
	})
	return mux
}

// bounded hands out a fixed number of connections at a time.
type bounded struct {
	net.Listener
	free chan struct{}
}

func (b *bounded) Accept() (net.Conn, error) {
	b.free <- struct{}{}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.free
		return nil, err
	}
	return &counted{Conn: c, release: func() { <-b.free }}, nil
}

type counted struct {
	net.Conn
	release func()
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	if err == nil {
		c.release()
	}
	return err
}

package transport

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"testing"
)

func TestOnlyTheBeginOfAnAnswerIsLookedAt(t *testing.T) {
	forged := "HTTP/1.1 400 Bad Request" + bare + "400 Bad Request"
	if _, _, ok := foreign([]byte(forged)); !ok {
		t.Fatal("this is what net/http writes, and it is not seen")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(forged)))
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, forged)
	}), slog.New(slog.DiscardHandler))
	done := make(chan error)
	go func() { done <- server.Serve(NewListener(l, nil)) }()
	defer func() {
		_ = server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the server ended with %v", err)
		}
	}()
	response, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != forged {
		t.Errorf("%v: a file became %q", err, body)
	}
}

package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/system"
)

// Streams is what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Command runs a command line in this process and gives its exit code.
type Command func(ctx context.Context, args []string, s Streams) int

// handover is a command line that another process typed.
type handover struct {
	Args     []string `json:"args"`
	Stdin    []byte   `json:"stdin"`
	Database string   `json:"database"` // so that a command never runs on another database than it named
}

// answer is one line of what comes back: a piece of output, or the end.
type answer struct {
	Out  *string `json:"out"`
	Data []byte  `json:"data"` // output that is no text
	Err  *string `json:"err"`
	Exit *int    `json:"exit"`
}

const (
	socketName   = "groundwork.sock"
	mostHandover = 4 << 20
	mostPath     = 100 // bytes of a socket's path that every system takes
)

// ErrNobody says that no server answers at the folder's socket.
var ErrNobody = errors.New("no server answers in the data folder")

// inFolder calls use with a path to the folder's socket that is short enough for the system. Only Linux has another one
// for a folder whose path is long; elsewhere the system says that it is.
func inFolder(folder string, use func(path string) error) error {
	path := filepath.Join(folder, socketName)
	if len(path) <= mostPath || runtime.GOOS != "linux" {
		return use(path)
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	return use(fmt.Sprintf("/proc/self/fd/%d/%s", f.Fd(), socketName))
}

// listenSocket makes the folder's socket, for this user only. The caller owns the folder, so one that lies there is
// left over from a crash.
func listenSocket(folder string) (l *net.UnixListener, err error) {
	if err := os.Remove(filepath.Join(folder, socketName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	err = inFolder(folder, func(path string) error {
		if l, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"}); err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		return nil, fmt.Errorf("The command socket in %s cannot be made: %w.", folder, err)
	}
	return l, nil
}

// serveCommands answers at the folder's socket until the returned function is called.
func (a *App) serveCommands(run Command) (stop func(context.Context) error, err error) {
	l, err := listenSocket(a.Config.Data)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /run", func(w http.ResponseWriter, r *http.Request) { a.handed(w, r, run) })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	var done sync.WaitGroup
	done.Go(func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			a.Log.Error("the command socket failed", "error", err)
		}
	})
	return func(ctx context.Context) error {
		err := errors.Join(os.Remove(filepath.Join(a.Config.Data, socketName)), server.Shutdown(ctx))
		done.Wait()
		return err
	}, nil
}

// handed runs a command that was handed over and sends its output as it comes.
func (a *App) handed(w http.ResponseWriter, r *http.Request, run Command) {
	var h handover
	if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, mostHandover), &h); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	var mu sync.Mutex
	send := func(line answer) error {
		mu.Lock()
		defer mu.Unlock()
		if err := json.MarshalWrite(w, line, jsontext.AllowInvalidUTF8(true)); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	}
	out := writer(func(text string) error {
		if !utf8.ValidString(text) {
			return send(answer{Data: []byte(text)})
		}
		return send(answer{Out: &text})
	})
	errs := writer(func(text string) error { return send(answer{Err: &text}) })
	code := 1
	if own := a.Config.file(); h.Database != own {
		fmt.Fprintf(errs, "groundwork: The server in this data folder uses the database %s.\n", own)
	} else {
		code = run(r.Context(), h.Args, Streams{In: bytes.NewReader(h.Stdin), Out: out, Err: errs})
	}
	// When this fails the other side is gone.
	_ = send(answer{Exit: &code})
}

// HandOver has the server that owns the data folder run a command line, and gives its exit code. ErrNobody when there
// is none.
func HandOver(ctx context.Context, c Config, args []string, s Streams) (exit int, err error) {
	if c, err = c.settled(); err != nil {
		return 0, err
	}
	stdin, err := io.ReadAll(s.In)
	if err != nil {
		return 0, err
	}
	body, err := json.Marshal(handover{Args: args, Stdin: stdin, Database: c.file()})
	if err != nil {
		return 0, err
	}
	client := socketClient(c)
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://groundwork/run", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	response, err := client.Do(request)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, system.ErrRefused) {
		return 0, ErrNobody
	}
	if err != nil {
		return 0, fmt.Errorf("The server in the data folder does not answer: %w.", err)
	}
	defer response.Body.Close()
	return relay(response, s)
}

// relay prints what a handed-over command prints.
func relay(response *http.Response, s Streams) (exit int, err error) {
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("The server in the data folder refused the command: %s.", response.Status)
	}
	lines := jsontext.NewDecoder(bufio.NewReader(response.Body))
	for {
		var line answer
		if err := json.UnmarshalDecode(lines, &line); err != nil {
			return 0, fmt.Errorf("The server ended the connection before the command was done: %w.", err)
		}
		switch {
		case line.Out != nil:
			_, err = fmt.Fprint(s.Out, *line.Out)
		case len(line.Data) > 0:
			_, err = s.Out.Write(line.Data)
		case line.Err != nil:
			fmt.Fprint(s.Err, *line.Err)
		case line.Exit != nil:
			return *line.Exit, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// writer gives every piece of output to a function.
type writer func(text string) error

func (w writer) Write(b []byte) (int, error) {
	if err := w(string(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// answersWithin is how long a server may take to answer at its socket.
const answersWithin = time.Second

// Answers tells whether a server answers at the folder's socket. That somebody takes connections is not enough: a
// process that one was about to start when it was killed has its socket and its lock for a moment longer, and says
// nothing.
func Answers(ctx context.Context, c Config) bool {
	c, err := c.settled()
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	client := socketClient(c)
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, "http://groundwork/run", nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request) // which is refused: it asks for nothing
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return true
}

// socketClient talks to the server of a data folder.
func socketClient(c Config) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _,
		_ string,
	) (conn net.Conn, err error) {
		err = inFolder(c.Data, func(path string) error {
			conn, err = new(net.Dialer).DialContext(ctx, "unix", path)
			return err
		})
		return conn, err
	}}}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// inside runs the image's entrypoint as an engine would: its own user, a root that cannot be written to, a volume, and
// a folder for passing things.
const inside = `set -e
mount --bind "$1" "$1"
mount --bind "$2" "$1/data"
mount -t tmpfs tmpfs "$1/tmp"
mount -t proc proc "$1/proc"
mount -o remount,ro,bind "$1"
user=$3
root=$1
shift 3
exec chroot --userspec="$user" "$root" "$@"
`

// servesAt is where a server says that it is.
var servesAt = regexp.MustCompile(`http://(127\.0\.0\.1:[0-9]+)`)

// within is how long a server may take to start or stop, on a busy machine.
const within = 2 * time.Minute

// runImage starts an unpacked image in a chroot, asks its health check, and stops it. It needs the superuser.
func (r *release) runImage(ctx context.Context, root, data string, s settings) (string, error) {
	if os.Getuid() != 0 {
		return "", notRun("its entrypoint is started by the superuser, in a chroot")
	}
	if err := errors.Join(os.Mkdir(filepath.Join(root, "proc"), 0o555), os.Mkdir(data, 0o700),
		os.Chown(data, nobody, nobody)); err != nil {
		return "", err
	}
	if _, err := command(ctx, "", nil, "unshare", "--mount", "true"); err != nil {
		return "", notRun("this superuser may not mount: " + err.Error())
	}
	env := append(append([]string{}, s.Env...), "GROUNDWORK_LISTEN=127.0.0.1:0")
	start := func(env []string) *exec.Cmd {
		args := append([]string{"--mount", "--propagation", "private", "sh", "-c", inside, "sh", root, data, s.User},
			append(s.Entrypoint, s.Cmd...)...)
		cmd := exec.CommandContext(ctx, "unshare", args...)
		cmd.Env = append(env, "PATH="+os.Getenv("PATH"))
		return cmd
	}
	server, err := serve(start(env))
	walls := "behind strict walls"
	if err != nil && strings.Contains(err.Error(), "GROUNDWORK_DRAWING_SANDBOX") {
		// A kernel without Landlock; the image is not to blame.
		walls = "behind relaxed walls, since this kernel has no strict ones"
		server, err = serve(start(append(env, "GROUNDWORK_DRAWING_SANDBOX=relaxed")))
	}
	if err != nil {
		return "", fmt.Errorf("the image cannot be started: %w", err)
	}
	asked := exec.CommandContext(ctx, "chroot", append([]string{"--userspec=" + s.User, root},
		s.Healthcheck.Test[1:]...)...)
	asked.Env = append(append([]string{}, s.Env...), "GROUNDWORK_LISTEN="+server.address)
	said, err := asked.CombinedOutput()
	stopped := server.stop()
	if err != nil {
		return "", fmt.Errorf("the health check of the image fails: %w\n%s", err, said)
	}
	if stopped != nil {
		return "", fmt.Errorf("the image does not stop as it should: %w", stopped)
	}
	return fmt.Sprintf("its entrypoint serves as user %s on a read-only root, %s; its health check says: %s", s.User,
		walls, strings.TrimSpace(string(said))), nil
}

// server is a program that serves.
type server struct {
	*exec.Cmd
	address string
	// printed is what it said to people.
	printed *heard
	ended   chan error
}

// serve starts a server and waits until it says where it is. It prints to nobody.
func serve(cmd *exec.Cmd) (*server, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	said := new(heard)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{Cmd: cmd, printed: new(heard), ended: make(chan error, 1)}
	found := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			fmt.Fprintln(s.printed, lines.Text())
			if m := servesAt.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case found <- m[1]:
				default:
				}
			}
		}
		s.ended <- cmd.Wait()
	}()
	select {
	case s.address = <-found:
		return s, nil
	case err := <-s.ended:
		return nil, fmt.Errorf("it ended (%w):\n%s", err, said)
	case <-time.After(within):
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("it does not say where it serves:\n%s", said)
	}
}

// stop ends a server as an operator does.
func (s *server) stop() error {
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.ended:
		return err
	case <-time.After(within):
		_ = s.Process.Kill()
		return errors.New("it goes on after it was told to stop")
	}
}

// heard is what a program prints while others may read it.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

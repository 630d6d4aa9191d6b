package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// server is a process that is measured.
type server struct {
	name    string
	address string
	secure  bool
	pid     int // whose processor time counts
	command *exec.Cmd
	ended   chan struct{}
	log     string
	started time.Duration // from its start to its first answer
}

// freeAddress gives a loopback address whose port clients are not given by the kernel.
func freeAddress() (string, error) {
	for port := 21000; port < 32000; port++ {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		if l, err := net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", errors.New("no port is free")
}

// start runs a program and waits until it answers the first request with 200.
func (r *rig) start(ctx context.Context, s *server, first []byte, env []string, program string, args ...string) error {
	s.log = filepath.Join(r.folder, s.name+".log")
	log, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own
	s.command = exec.Command(program, args...)
	s.command.Env = append([]string{"HOME=" + r.folder, "PATH=" + os.Getenv("PATH")}, env...)
	s.command.Stdout, s.command.Stderr = log, log
	// What is typed at the terminal ends the bench, which then ends its servers.
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	if err := s.command.Start(); err != nil {
		return err
	}
	s.pid, s.ended = s.command.Process.Pid, make(chan struct{})
	go func() {
		_ = s.command.Wait() // how it ended is in its log
		close(s.ended)
	}()
	r.servers = append(r.servers, s)
	for {
		if w, err := dial(s.address, s.secure); err == nil {
			status, err := w.do(first, false)
			w.close()
			if err == nil && status == 200 {
				s.started = time.Since(began)
				return nil
			}
		}
		select {
		case <-s.ended:
			return fmt.Errorf("%s ended: %s", s.name, s.said())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
		if time.Since(began) > 5*time.Minute {
			return fmt.Errorf("%s does not answer: %s", s.name, s.said())
		}
	}
}

func (s *server) said() string {
	text, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// stop ends the process and waits for it.
func (s *server) stop() {
	if s.ended == nil {
		return
	}
	_ = syscall.Kill(s.pid, syscall.SIGTERM) // it may have ended already
	select {
	case <-s.ended:
	case <-time.After(30 * time.Second):
		_ = s.command.Process.Kill()
		<-s.ended
	}
}

// cpu is the processor time that the process has used, all its threads, from the kernel's clock for it.
func (s *server) cpu() time.Duration {
	var t unix.Timespec
	const wholeProcess = 2
	if err := unix.ClockGettime(int32(^s.pid<<3|wholeProcess), &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// settle waits until the service rests, for two looks that are step apart: what it does later for what was written,
// such as filing words, is not measured with what comes next, nor with what is asked of others.
func (s *server) settle(ctx context.Context, step time.Duration) error {
	busy := step / 50 // it looks for work now and then
	ctx, cancel := context.WithTimeoutCause(ctx, settleWithin, errors.New("the service does not come to rest"))
	defer cancel()
	for before, quiet := s.cpu(), 0; quiet < 2; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(step):
		}
		now := s.cpu()
		if quiet++; now-before > busy {
			quiet = 0
		}
		before = now
	}
	return nil
}

const settleWithin = 5 * time.Minute

// peak is the most memory that the process ever held, in megabytes.
func (s *server) peak() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0, errors.New("the kernel does not tell VmHWM")
	}
	kilobytes, err := strconv.ParseFloat(fields[0], 64)
	return kilobytes * 1024 / 1e6, err
}

// ask sends one request and gives the whole answer.
func (s *server) ask(request []byte) (*wire, int, error) {
	w, err := dial(s.address, s.secure)
	if err != nil {
		return nil, 0, err
	}
	defer w.close()
	status, err := w.do(request, true)
	return w, status, err
}

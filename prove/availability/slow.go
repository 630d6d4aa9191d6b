package availability

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"groundwork/prove/lab"
)

// SlowCommand runs the slow clients in a process of their own, which yields to all others: in truth they are on other
// machines.
const SlowCommand = "slow"

const (
	slowEvery = 2 * time.Second        // one byte
	arrival   = 500 * time.Microsecond // one client
)

// startSlow starts slow clients, which end with ctx, and gives how many are connected, every now and then.
func startSlow(ctx context.Context, address, key, path string, n int) (<-chan int, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, SlowCommand, "--address", address, "--key", key, "--path", path, "--clients",
		strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	connected := make(chan int)
	go func() {
		defer close(connected)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			n, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
			if err != nil {
				break
			}
			select {
			case connected <- n:
			case <-ctx.Done():
			}
		}
		_ = cmd.Wait() // ended by ctx
	}()
	return connected, nil
}

// slowClients are many clients who take their time.
type slowClients struct {
	address, key, path string
	clients            int
	now                atomic.Int64 // connected
}

// RunSlow is that process.
func RunSlow(ctx context.Context, args []string) error {
	s := &slowClients{}
	flags := flag.NewFlagSet(SlowCommand, flag.ContinueOnError)
	flags.StringVar(&s.address, "address", "", "of the server")
	flags.StringVar(&s.key, "key", "", "to show")
	flags.StringVar(&s.path, "path", "", "to ask for")
	flags.IntVar(&s.clients, "clients", 100, "how many")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10); err != nil {
		return err
	}
	for i := range s.clients {
		go s.dawdle(ctx, i)
	}
	for ctx.Err() == nil {
		fmt.Println(s.now.Load())
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// dawdle is a slow client that comes back whenever it is thrown out.
func (s *slowClients) dawdle(ctx context.Context, i int) {
	random := rand.New(rand.NewPCG(1, uint64(i)))
	pause := func(d time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(d):
			return true
		}
	}
	// They come one after the other: whoever comes together is thrown out together, which would be another experiment.
	rest := time.Duration(s.clients) * arrival
	for ; pause(time.Duration(random.Int64N(int64(rest)))); rest = time.Second {
		conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", s.address)
		if err != nil {
			continue
		}
		s.now.Add(1)
		s.bore(conn, i, pause)
		_ = conn.Close()
		s.now.Add(-1)
	}
}

// bore is one slow connection, of one of three kinds, until either side has enough.
func (s *slowClients) bore(conn net.Conn, kind int, pause func(time.Duration) bool) {
	head := " " + s.path + " HTTP/1.1\r\nHost: " + s.address + "\r\nAuthorization: " + lab.BasicAuth(s.key) + "\r\n"
	gone := make(chan struct{})
	switch kind % 3 {
	case 0: // the header never ends
		go hear(conn, gone)
		head = "GET" + head + "X-Slow: "
	case 1: // the body never ends
		go hear(conn, gone)
		head = "POST" + head + "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
	default: // the answer is never read to its end
		head = "GET" + head + "\r\n"
	}
	if _, err := conn.Write([]byte(head)); err != nil {
		return
	}
	one := make([]byte, 1)
	for pause(slowEvery) {
		select {
		case <-gone:
			return
		default:
		}
		var err error
		if kind%3 == 2 {
			_, err = conn.Read(one)
		} else {
			_, err = conn.Write([]byte("a"))
		}
		if err != nil {
			return
		}
	}
}

// hear reads whatever the server says and closes gone when it hangs up.
func hear(conn net.Conn, gone chan<- struct{}) {
	_, _ = io.Copy(io.Discard, conn)
	close(gone)
}

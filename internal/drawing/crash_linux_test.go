package drawing

import (
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// crash ends this process as the kernel would. A child may signal itself only.
func crash() error { return unix.Tgkill(os.Getpid(), os.Getpid(), unix.SIGKILL) }

// says is what a hostile child says, so many times.
type says struct {
	Wants, Makes         string
	Long, Walls, Answers int
	Times                int
}

// hostile are the tasks of a child that a file has taken over.
func hostile() map[string]task {
	return map[string]task{
		"misdeeds": func(o order) (any, error) {
			var t prey
			if err := json.Unmarshal(o.Details, &t); err != nil {
				return nil, err
			}
			return attempt(t), nil
		},
		"asks": func(o order) (any, error) {
			// What it may have, and what is not there: it is given the one, and told of the other without a path.
			in, err := o.open(inputName)
			if err != nil {
				return nil, err
			}
			in.Close()
			made, err := o.create("a.a")
			if err != nil {
				return nil, err
			}
			made.Close()
			_, missing := o.open("123")
			_, twice := o.create("a.a")
			return []string{missing.Error(), twice.Error()}, nil
		},
		"says": func(o order) (any, error) {
			var s says
			if err := json.Unmarshal(o.Details, &s); err != nil {
				return nil, err
			}
			m := message{Wants: s.Wants + strings.Repeat("a", s.Long), Makes: s.Makes}
			if s.Walls > 0 {
				m = message{Walls: &Walls{Missing: []string{strings.Repeat("a", s.Walls)}}}
			}
			if s.Answers > 0 {
				m = message{Answer: &answer{Bad: strings.Repeat("a", s.Answers)}}
			}
			for range s.Times {
				// It does not keep to its own bounds.
				if err := send(o.answers, m, mostMessage); err != nil {
					return nil, err
				}
				if s.Answers > 0 {
					continue
				}
				if err := receive(&o.orders, new(grant), mostOrder); err != nil {
					return nil, err
				}
				if f := o.orders.take("x"); f != nil {
					f.Close()
				}
			}
			return "it went on", nil
		},
		"tells": func(o order) (any, error) {
			for n := range mostRequests + 1 {
				o.reached(n)
			}
			return "it went on", nil
		},
		"threads": func(order) (any, error) {
			for {
				go func() {
					runtime.LockOSThread()
					pause := unix.NsecToTimespec(int64(time.Minute))
					_ = unix.Nanosleep(&pause, nil)
				}()
			}
		},
		"fills": func(o order) (any, error) {
			f, err := o.create("full.disk")
			if err != nil {
				return nil, err
			}
			// A file with a hole: nothing is really written until its end.
			_, err = f.WriteAt([]byte("x"), room)
			return nil, err
		},
	}
}

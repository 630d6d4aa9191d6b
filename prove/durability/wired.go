package durability

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"groundwork/prove/lab"
)

// TripwireCommand runs a program that is killed at the n-th of its calls that wait for the disk.
const TripwireCommand = "tripwire"

// wired is a site whose processes run over a tripwire, which counts through all of them.
type wired struct {
	*lab.Site
	self  string
	limit int // the call at which the process is killed; 0 for none
	calls int // made so far
}

func newWired(t *lab.Trial, tag string, env ...string) (*wired, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s, err := lab.NameSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	w := &wired{Site: s, self: self}
	if out, err := exec.CommandContext(t, self, TripwireCommand, "0", w.counts(), s.Program,
		"--help").CombinedOutput(); err != nil {
		return nil, lab.CannotRun(fmt.Sprintf("a process cannot be traced here: %v: %s", err, lab.Clip(out)))
	}
	return w, nil
}

// begin makes an empty place again, with the wire at a call.
func (w *wired) begin(limit int) error {
	w.limit, w.calls, w.Key, w.Server = limit, 0, "", nil
	return os.RemoveAll(w.DataFolder)
}

// tripped tells that the kill has happened.
func (w *wired) tripped() bool { return w.limit > 0 && w.calls >= w.limit }

func (w *wired) counts() string { return w.Trial.Path("calls") }

// over runs a process of the site over the wire. What fails because of the kill is no error; then tripped.
func (w *wired) over(process func() error) error {
	left := 0
	if w.limit > 0 {
		left = w.limit - w.calls
	}
	w.Wrapper = []string{w.self, TripwireCommand, strconv.Itoa(left), w.counts()}
	err := process()
	w.Wrapper = nil
	if w.Server != nil {
		select {
		case <-w.Ended:
		case <-time.After(time.Second):
			return errors.Join(err, errors.New("the server neither worked nor ended"), w.Kill())
		}
	}
	text, readErr := os.ReadFile(w.counts())
	if readErr != nil {
		return errors.Join(err, readErr)
	}
	n, readErr := strconv.Atoi(string(text))
	if w.calls += n; readErr != nil || w.tripped() {
		return readErr
	}
	return err
}

// script makes an installation and works with it: an account, a key, a server, a project, one write after the other, a
// graceful stop.
type script struct {
	w       *wired
	client  *lab.Client
	writes  int
	noFiles bool     // nothing is uploaded
	settled bool     // the server was once there before what is planted
	served  int      // calls before the server was started
	calls   int      // all calls
	journal *journal // once a project was acknowledged
}

// play runs the script until it is killed, or to its end.
func (s *script) play() error {
	w := s.w
	if err := w.over(w.NewAccount); err != nil || w.tripped() {
		return err
	}
	if err := w.over(func() (err error) {
		key, err := w.NewKey(lab.AdaEmail)
		if err == nil {
			w.Key = key
		}
		return err
	}); err != nil || w.tripped() {
		return err
	}
	if s.settled {
		if err := w.Settle(); err != nil {
			return err
		}
	}
	s.served = w.calls
	return w.over(func() error {
		if _, err := w.Start(); err != nil {
			return err
		}
		s.client.Key = w.Key
		project, err := s.client.NewProject(w.Trial, "Tower")
		if err != nil {
			return err
		}
		s.journal = newJournal(project)
		s.journal.noFiles = s.noFiles
		if err := settled(w.Trial, s.client, project); err != nil {
			return err
		}
		if err := s.write("script", s.writes); err != nil {
			return err
		}
		_, err = w.Stop()
		return err
	})
}

// write makes writes, the same ones each time.
func (s *script) write(name string, n int) error {
	one := &writer{journal: s.journal, client: s.client, random: s.w.Trial.Random(len(name)), name: name}
	for range n {
		if !one.step(s.w.Trial) {
			return fmt.Errorf("a write failed: %s", strings.Join(s.journal.wrong, "; "))
		}
	}
	return nil
}

// recover takes up the work after the kill, as an operator would, and gives what was found wrong.
func (s *script) recover() (seen, error) {
	w := s.w
	if w.Key == "" {
		// Whether an account was made that nobody heard of cannot be known.
		if err := w.NewAccount(); err != nil && !strings.Contains(err.Error(), "already") {
			return seen{}, err
		}
		key, err := w.NewKey(lab.AdaEmail)
		if err != nil {
			return seen{}, err
		}
		w.Key = key
	}
	if _, err := w.Start(); err != nil {
		return seen{}, err
	}
	s.client.Key = w.Key
	s.client.HTTP.CloseIdleConnections()
	if s.journal == nil {
		project, err := s.client.NewProject(w.Trial, "Bridge")
		if err != nil {
			return seen{}, err
		}
		s.journal = newJournal(project)
		s.journal.noFiles = s.noFiles
	}
	found, err := s.journal.check(w.Trial, s.client)
	if err != nil || found.bad() > 0 {
		return found, err
	}
	if err := s.write("after", 5); err != nil {
		return found, err
	}
	again, err := s.journal.check(w.Trial, s.client)
	found.add(again)
	if err == nil {
		err = w.Verify()
	}
	if err == nil {
		_, err = w.Stop()
	}
	return found, err
}

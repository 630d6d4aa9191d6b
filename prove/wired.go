package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// tripwireCommand runs a program that is killed at the n-th of its calls that wait for the disk.
const tripwireCommand = "tripwire"

// wired is a site whose processes run over a tripwire, which counts through all of them.
type wired struct {
	*site
	self  string
	limit int // the call at which the process is killed; 0 for none
	calls int // made so far
}

func newWired(t *trial, tag string, env ...string) (*wired, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s, err := newPlace(t, tag, env...)
	if err != nil {
		return nil, err
	}
	w := &wired{site: s, self: self}
	if out, err := exec.CommandContext(t, self, tripwireCommand, "0", w.counts(), s.program, "--help").CombinedOutput(); err != nil {
		return nil, errNotRun{fmt.Sprintf("a process cannot be traced here: %v: %s", err, clip(out))}
	}
	return w, nil
}

// begin makes an empty place again, with the wire at a call.
func (w *wired) begin(limit int) error {
	w.limit, w.calls, w.key, w.server = limit, 0, "", nil
	return os.RemoveAll(w.data)
}

// tripped tells that the kill has happened.
func (w *wired) tripped() bool { return w.limit > 0 && w.calls >= w.limit }

func (w *wired) counts() string { return w.t.path("calls") }

// over runs a process of the site over the wire. What fails because of the kill is no error; then tripped.
func (w *wired) over(process func() error) error {
	left := 0
	if w.limit > 0 {
		left = w.limit - w.calls
	}
	w.around = []string{w.self, tripwireCommand, strconv.Itoa(left), w.counts()}
	err := process()
	w.around = nil
	if w.server != nil {
		select {
		case <-w.ended:
		case <-time.After(time.Second):
			return errors.Join(err, errors.New("the server neither worked nor ended"), w.kill())
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

// script makes an installation and works with it: an account, a key, a server, a project, one write after the other, a graceful stop.
type script struct {
	w       *wired
	client  *client
	writes  int
	noFiles bool     // nothing is uploaded
	served  int      // calls before the server was started
	calls   int      // all calls
	journal *journal // once a project was acknowledged
}

// play runs the script until it is killed, or to its end.
func (s *script) play() error {
	w := s.w
	if err := w.over(w.newAccount); err != nil || w.tripped() {
		return err
	}
	if err := w.over(func() (err error) {
		key, err := w.newKey(ada)
		if err == nil {
			w.key = key
		}
		return err
	}); err != nil || w.tripped() {
		return err
	}
	s.served = w.calls
	return w.over(func() error {
		if _, err := w.start(); err != nil {
			return err
		}
		s.client.key = w.key
		project, err := s.client.newProject(w.t, "Tower")
		if err != nil {
			return err
		}
		s.journal = newJournal(project)
		s.journal.noFiles = s.noFiles
		if err := s.client.settled(w.t, project); err != nil {
			return err
		}
		if err := s.write("script", s.writes); err != nil {
			return err
		}
		_, err = w.stop()
		return err
	})
}

// write makes writes, the same ones each time.
func (s *script) write(name string, n int) error {
	one := &writer{journal: s.journal, client: s.client, random: s.w.t.random(len(name)), name: name}
	for range n {
		if !one.step(s.w.t) {
			return fmt.Errorf("a write failed: %s", strings.Join(s.journal.wrong, "; "))
		}
	}
	return nil
}

// recover takes up the work after the kill, as an operator would, and gives what was found wrong.
func (s *script) recover() (seen, error) {
	w := s.w
	if w.key == "" {
		// Whether an account was made that nobody heard of cannot be known.
		if err := w.newAccount(); err != nil && !strings.Contains(err.Error(), "already") {
			return seen{}, err
		}
		key, err := w.newKey(ada)
		if err != nil {
			return seen{}, err
		}
		w.key = key
	}
	if _, err := w.start(); err != nil {
		return seen{}, err
	}
	s.client.key = w.key
	s.client.http.CloseIdleConnections()
	if s.journal == nil {
		project, err := s.client.newProject(w.t, "Bridge")
		if err != nil {
			return seen{}, err
		}
		s.journal = newJournal(project)
		s.journal.noFiles = s.noFiles
	}
	found, err := s.journal.check(w.t, s.client)
	if err != nil || found.bad() > 0 {
		return found, err
	}
	if err := s.write("after", 5); err != nil {
		return found, err
	}
	again, err := s.journal.check(w.t, s.client)
	found.add(again)
	if err == nil {
		err = w.verify()
	}
	if err == nil {
		_, err = w.stop()
	}
	return found, err
}

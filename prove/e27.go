package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	attackWithin = 500 * time.Millisecond
	attackGrowth = 64 << 20
)

var e27 = &experiment{
	id:      "E27",
	title:   "1 GB bodies and headers, JSON a million deep, duplicate names, gzip bombs",
	bar:     "each is refused with a 4xx within 0.5 s, and memory grows by less than 64 MB",
	control: "a plain server without bounds",
	engines: []string{lite},
	run: func(t *trial) error {
		s, err := newSite(t, released)
		if err != nil {
			return err
		}
		if _, err := s.start(); err != nil {
			return err
		}
		project, err := s.client().newProject(t, "Dam")
		if err != nil {
			return err
		}
		w := &war{t: t, address: s.address, key: s.key, project: project, size: 1 << 30, crowd: 16, pid: s.server.Process.Pid}
		problems, err := w.wage()
		if err != nil {
			return err
		}
		for _, p := range problems {
			t.require(false, "%s", p)
		}
		t.note("attacks", "%d", w.attacks)
		t.note("slowest refusal", "%s (%s)", millis(w.slowest), w.slow)
		t.note("memory, greatest growth", "%s (%s)", megabytes(w.growth), w.greedy)
		return nil
	},
	runControl: func(t *trial) (string, error) {
		base, pid, err := startRival(t, 256)
		if err != nil {
			return "", err
		}
		// Less of everything: this one takes it all.
		w := &war{t: t, address: strings.TrimPrefix(base, "http://"), key: "x", project: "/projects/1", size: 1 << 27, crowd: 2, pid: pid}
		problems, err := w.wage()
		if err != nil || len(problems) == 0 {
			return "", err
		}
		return fmt.Sprintf("falls to %d of %d attacks, memory grows by %s", len(problems), w.attacks, megabytes(w.growth)), nil
	},
}

// war is a number of attacks on one server.
type war struct {
	t       *trial
	address string
	key     string
	project string
	size    int // of what is too large
	crowd   int // how many such at once
	pid     int

	attacks int
	slowest time.Duration
	slow    string // the attack that took so long
	growth  int64
	greedy  string // the attack that took so much
}

// wage makes all attacks, one after the other, and gives a sentence for each that was not refused as it should be.
func (w *war) wage() (problems []string, err error) {
	// The memory of a server that has not served yet grows for good reasons.
	for range 200 {
		if _, _, err := w.strike(attack{name: "warm-up", head: w.head("GET", w.project, "")}); err != nil {
			return nil, err
		}
	}
	for _, a := range w.arms() {
		w.attacks++
		began, err := resetPeak(w.pid)
		if err != nil {
			return nil, err
		}
		problem := w.tryOut(a)
		peak, err := memory(w.pid, "VmHWM")
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: the server is gone: %v", a.name, err))
			return problems, nil
		}
		if peak-began > w.growth {
			w.growth, w.greedy = peak-began, a.name
		}
		if problem == "" && peak-began >= attackGrowth {
			problem = "memory grew by " + megabytes(peak-began)
		}
		if problem != "" {
			problems = append(problems, a.name+": "+problem)
		}
	}
	return problems, nil
}

// tryOut makes an attack; one that was refused too slowly gets two more chances, since other work on the machine takes time too.
func (w *war) tryOut(a attack) string {
	var took time.Duration
	for range 3 {
		status, t, err := w.strike(a)
		if err != nil {
			return err.Error()
		}
		if status < 400 || status > 499 {
			return fmt.Sprintf("answered with %d", status)
		}
		if took = t; took < attackWithin {
			if took > w.slowest {
				w.slowest, w.slow = took, a.name
			}
			return ""
		}
	}
	return "refused only after " + millis(took)
}

// resetPeak makes the process's memory peak start from what it has now, and gives that.
func resetPeak(pid int) (int64, error) {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		return 0, errNotRun{"the memory of a process cannot be watched here: " + err.Error()}
	}
	return memory(pid, "VmRSS")
}

// memory gives a figure of the process in bytes.
func memory(pid int, name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("process %d shows no %s", pid, name)
}

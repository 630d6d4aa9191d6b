package availability

import (
	"fmt"
	"strings"
	"time"

	"groundwork/prove/lab"
)

const (
	attackWithin = 500 * time.Millisecond
	attackGrowth = 64 << 20
)

// E27 sends requests that are too large, too deep or packed to burst.
var E27 = &lab.Experiment{
	ID:       "E27",
	Title:    "1 GB bodies and headers, JSON a million deep, duplicate names, gzip bombs",
	MustHold: "each is refused with a 4xx, within 0.5 s (judged in the full form), and memory grows by less than 64 MB",
	Control:  "a plain server without bounds",
	Engines:  []string{lab.SQLite},
	Run: func(t *lab.Trial) error {
		s, err := lab.NewSite(t, lab.Released)
		if err != nil {
			return err
		}
		if _, err := s.Start(); err != nil {
			return err
		}
		project, err := s.NewClient().NewProject(t, "Dam")
		if err != nil {
			return err
		}
		w := &war{
			t: t, address: s.Address, key: s.Key, project: project, size: 1 << 30, crowd: 16, pid: s.Server.Process.Pid,
		}
		problems, err := w.wage()
		if err != nil {
			return err
		}
		for _, p := range problems {
			t.Require(false, "%s", p)
		}
		t.Note("attacks", "%d", w.attacks)
		t.Note("slowest refusal", "%s (%s)", lab.Millis(w.slowest), w.slow)
		t.Note("memory, greatest growth", "%s (%s)", lab.Megabytes(w.growth), w.greedy)
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		base, pid, err := lab.StartRival(t, 256)
		if err != nil {
			return "", err
		}
		// Less of everything: this one takes it all.
		w := &war{
			t: t, address: strings.TrimPrefix(base, "http://"), key: "x", project: "/projects/1", size: 1 << 27,
			crowd: 2, pid: pid,
		}
		problems, err := w.wage()
		if err != nil || len(problems) == 0 {
			return "", err
		}
		return fmt.Sprintf("falls to %d of %d attacks, memory grows by %s", len(problems), w.attacks,
			lab.Megabytes(w.growth)), nil
	},
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
		began, err := lab.ResetPeakMemory(w.pid)
		if err != nil {
			return nil, err
		}
		problem := w.tryOut(a)
		peak, err := lab.ProcessMemory(w.pid, "VmHWM")
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: the server is gone: %v", a.name, err))
			return problems, nil
		}
		if peak-began > w.growth {
			w.growth, w.greedy = peak-began, a.name
		}
		if problem == "" && peak-began >= attackGrowth {
			problem = "memory grew by " + lab.Megabytes(peak-began)
		}
		if problem != "" {
			problems = append(problems, a.name+": "+problem)
		}
	}
	return problems, nil
}

// tryOut makes an attack; one that was refused too slowly gets two more chances, since other work on the machine takes
// time too. The short form does not judge times.
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
		if took = t; took < attackWithin || !w.t.Full {
			if took > w.slowest {
				w.slowest, w.slow = took, a.name
			}
			return ""
		}
	}
	return "refused only after " + lab.Millis(took)
}

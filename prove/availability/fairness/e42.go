// Package fairness tries the sixth promise for a tenant whose neighbours load the service as much as their limits
// allow.
package fairness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"groundwork/prove/lab"
)

// The bars of fairness. The short form shares its machine with whatever else runs there: it judges the times three
// times as leniently.
const (
	fairTimes  = 5
	fairWithin = 250 * time.Millisecond
	fairMemory = 400 << 20
	// fairReport is how long a small report may take: longer than the longest piece of work that may be under way when
	// it is asked for.
	fairReport = 20 * time.Second
	// fairLeast is what an idle p99 counts as at least: below it a few wake-ups of the processor make the ratio.
	fairLeast = 5 * time.Millisecond
	// perLoad is how many tenants make a load that is tried alone; where all are, each is made by one.
	perLoad = 3
	// fairPace is a little more than the 40 requests a second that the default limits admit.
	fairPace = 50
)

const together = "all together"

// onlyArms is the variable that names the loads to be tried, for whoever mends one of them; the experiment fails then.
const onlyArms = "GROUNDWORK_E42"

// E42 asks whether one tenant can slow another down.
var E42 = &lab.Experiment{
	ID:    "E42",
	Title: "fourteen abusive loads of tenants with the default limits, each alone and all together, while a neighbour lists, reads, writes, searches, uploads, downloads, waits for changes and asks for reports",
	MustHold: "the neighbour's p99 ≤ 5 × that with the same crowd at another server and ≤ 250 ms, no error, its report within 20 s; memory of the server ≤ 400 MB; " +
		"afterwards it is at rest again; times three times as long in the short form",
	Control: "a server without limits and without turns, and the same tenants ten times as fast",
	Engines: lab.BothEngines,
	ByName:  true,
	Run: func(t *lab.Trial) error {
		arms := []*arm{}
		for i, l := range loads {
			arms = append(arms, &arm{name: l.name, loads: loads[i : i+1], each: perLoad, pace: fairPace, times: 1})
		}
		arms = append(arms, &arm{name: together, loads: loads, each: 1, pace: fairPace, times: 1})
		if only := os.Getenv(onlyArms); only != "" {
			arms = slices.DeleteFunc(arms, func(a *arm) bool {
				return !slices.Contains(strings.Split(only, ","), a.name)
			})
			t.Require(false, "only some loads were tried, as %s asks", onlyArms)
		}
		err := tryArms(t, arms, t.ShortOrFull(1, 3), lab.Released, nil)
		for _, a := range arms {
			if len(a.loaded) == 0 {
				continue
			}
			problems, mark := a.judge(t), ""
			if len(problems) > 0 {
				mark = "BROKEN: "
			}
			t.Note(a.name, "%s%s", mark, a)
			for _, p := range problems {
				t.Require(false, "%s: %s", a.name, p)
			}
		}
		return err
	},
	RunControl: func(t *lab.Trial) (string, error) {
		greedy := []*load{
			loadNamed("deep lists"), loadNamed("searches"), loadNamed("batches of 50"), loadNamed("huge marks"),
		}
		a := &arm{name: "without limits", loads: greedy, each: t.ShortOrFull(1, perLoad), pace: 10 * fairPace, times: 8}
		if err := tryArms(t, []*arm{a}, 1, lab.Planted, []string{"--default-limit", "all/1=1000000"}); err != nil {
			return "", err
		}
		return strings.Join(a.judge(t), "; "), nil
	},
}

// arm is a load, or several, with what was found.
type arm struct {
	name        string
	loads       []*load
	each        int // tenants of a load
	pace, times int

	idle, loaded, health []time.Duration // p99 of turns
	requests             int
	slowest              string // of the last turn
	wrong                []string
	memory               int64
	report               time.Duration
	reports, late        int
	rest                 time.Duration
	restless             string // what was not at rest afterwards
	died                 string
	crowd                tallies
}

// tryArms lets every arm have its turns, round by round. A ground that is no longer fit for the next one is left for a
// new one.
func tryArms(t *lab.Trial, arms []*arm, rounds int, tag string, options []string) error {
	var turns []*arm
	for range rounds {
		turns = append(turns, arms...)
	}
	for n := 0; len(turns) > 0; n++ {
		err := t.Inner(fmt.Sprint("ground", n), func(t *lab.Trial) error {
			g, err := newGround(t, tag, options)
			if err != nil {
				return err
			}
			for tried := 0; len(turns) > 0; tried++ {
				fit, err := turns[0].turn(g, len(turns))
				if errors.Is(err, errUnfit) && tried > 0 && t.Err() == nil {
					return nil // what others left there is not this arm's doing: it begins on a new ground
				}
				if err != nil {
					return fmt.Errorf("%s: %w", turns[0].name, err)
				}
				if turns = turns[1:]; !fit {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// errUnfit says that a load could not even be prepared.
var errUnfit = errors.New("nothing could be prepared before the crowd came")

// prepare gives a tenant what a load needs: errUnfit where that takes too long.
func (g *ground) prepare(one *tenant, needs []string) error {
	ctx, cancel := context.WithTimeout(g.t, time.Minute)
	defer cancel()
	t := *g.t
	t.Context = ctx
	if err := g.provide(&t, one, needs); err != nil {
		return fmt.Errorf("%w: %w", errUnfit, err)
	}
	return nil
}

// turn measures the neighbour with the crowd elsewhere and then here. It tells whether the ground is fit for more.
func (a *arm) turn(g *ground, place int) (fit bool, err error) {
	t := g.t
	order := &crowdOrder{
		Base: g.site.BaseURL, StandIn: true, Pace: a.pace, Times: a.times, Seed: t.Seed + uint64(place),
	}
	works := t.Full
	for i, l := range loads {
		if !slices.Contains(a.loads, l) {
			continue
		}
		works = works || l.works
		cl := crowdLoad{Name: l.name}
		for k := range a.each {
			one := g.tenants[(i+k)%len(g.tenants)]
			if err := g.prepare(one, l.needs); err != nil {
				return false, err
			}
			cl.Tenants = append(cl.Tenants, one)
		}
		order.Loads = append(order.Loads, cl)
	}
	// What was provided may still be worked on.
	if _, why := g.calm(time.Minute); why != "" {
		return false, fmt.Errorf("%w: %s", errUnfit, why)
	}
	if _, err := g.spell(order, time.Duration(t.ShortOrFull(1200, 7000))*time.Millisecond, false); err != nil {
		return false, err
	}
	took, _, wrong := g.neighbour.taken()
	if len(wrong) > 0 {
		return false, fmt.Errorf("with the crowd elsewhere the neighbour got: %s", wrong[0])
	}
	a.idle = append(a.idle, lab.Quantile(took, 0.99))
	g.neighbour.slowest()

	pid := g.site.Server.Process.Pid
	if _, err := lab.ResetPeakMemory(pid); err != nil {
		return false, err
	}
	order.StandIn = false
	s, err := g.spell(order, time.Duration(t.ShortOrFull(2000, 7000))*time.Millisecond, works)
	if err != nil {
		return false, err
	}
	took, health, wrong := g.neighbour.taken()
	a.loaded, a.health = append(a.loaded, lab.Quantile(took, 0.99)), append(a.health, lab.Quantile(health, 0.99))
	a.requests += len(took)
	a.slowest = g.neighbour.slowest()
	a.wrong = append(a.wrong, wrong...)
	a.report = max(a.report, s.report)
	if works {
		a.reports++
	}
	if s.late {
		a.late++
	}
	if a.crowd == nil {
		a.crowd = tallies{}
	}
	for status, n := range s.crowd {
		a.crowd[status] += n
	}
	if a.ended(g) {
		return false, nil
	}
	peak, err := lab.ProcessMemory(pid, "VmHWM")
	if err != nil {
		return false, err
	}
	a.memory = max(a.memory, peak)
	rest, why := g.calm(time.Duration(t.ShortOrFull(8, 30)) * time.Second)
	if a.ended(g) {
		return false, nil
	}
	if a.rest = max(a.rest, rest); why != "" {
		a.restless = why
	}
	// What one load took may be given back late: it is not counted as the next one's.
	return why == "" && peak <= fairMemory, nil
}

// ended tells whether the server is gone, and notes why.
func (a *arm) ended(g *ground) bool {
	if g.alive() {
		return false
	}
	a.died = "the server ended"
	if burst := g.burst.Load(); burst > 0 {
		a.memory, a.died = max(a.memory, burst), "the server was ended at "+lab.Megabytes(burst)
	}
	return true
}

// spell is what came out of one stretch of time beside what the neighbour saw.
type spell struct {
	crowd  tallies
	report time.Duration
	late   bool
}

// spell lets the crowd come and the neighbour work for a time, which lasts until the report is there where one is asked
// for.
func (g *ground) spell(order *crowdOrder, lasts time.Duration, reports bool) (*spell, error) {
	c, err := startCrowd(g.t, order)
	if err != nil {
		return nil, err
	}
	s, over, done := &spell{}, make(chan struct{}), make(chan struct{})
	go func() {
		g.neighbour.work(over)
		close(done)
	}()
	end := time.After(lasts)
	// The crowd is at work for a moment before a report is asked for.
	select {
	case <-g.site.Ended:
	case <-time.After(500 * time.Millisecond):
		if reports {
			var made bool
			s.report, made = g.neighbour.report(fairReport * time.Duration(g.t.ShortOrFull(2, 1)))
			s.late = !made
		}
	}
	select {
	case <-g.site.Ended:
	case <-end:
	case <-g.t.Done():
	}
	close(over)
	<-done
	s.crowd, err = c.end()
	return s, err
}

func median(all []time.Duration) time.Duration { return lab.Quantile(all, 0.5) }

func (a *arm) ratio() float64 {
	return float64(median(a.loaded)) / float64(max(median(a.idle), fairLeast))
}

// judge gives what is not as it must be.
func (a *arm) judge(t *lab.Trial) (problems []string) {
	lenient := t.ShortOrFull(3, 1)
	wrong := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	loaded := median(a.loaded)
	wrong(a.ratio() <= float64(fairTimes*lenient), "the neighbour's p99 is %s, %.1f times the idle one",
		lab.Millis(loaded), a.ratio())
	wrong(loaded <= fairWithin*time.Duration(lenient), "the neighbour's p99 is %s", lab.Millis(loaded))
	if len(a.wrong) > 0 {
		wrong(false, "%d of the neighbour's requests failed: %s", len(a.wrong), lab.Clip([]byte(a.wrong[0])))
	}
	wrong(a.late == 0, "%d of %d reports were not there after %s", a.late, a.reports,
		lab.Seconds(fairReport*time.Duration(t.ShortOrFull(2, 1))))
	wrong(a.memory <= fairMemory, "the server took %s", lab.Megabytes(a.memory))
	wrong(a.died == "", "%s", a.died)
	// Work that waits is bounded by its own rules; goroutines and requests must have gone.
	wrong(a.restless == "" || a.restless == "still at work", "%s after the crowd had gone: %s", lab.Seconds(a.rest),
		a.restless)
	return problems
}

func (a *arm) String() string {
	told := fmt.Sprintf("p99 idle %s, loaded %s (%.1f×), of /healthz %s; %d of %d failed; %s",
		lab.Millis(median(a.idle)), lab.Millis(median(a.loaded)), a.ratio(),
		lab.Millis(median(a.health)), len(a.wrong), a.requests, lab.Megabytes(a.memory))
	switch {
	case a.late > 0:
		told += fmt.Sprintf("; %d of %d reports late", a.late, a.reports)
	case a.reports > 0:
		told += "; report " + lab.Seconds(a.report)
	}
	if a.died != "" {
		told += "; " + a.died
	} else if a.restless != "" {
		told += fmt.Sprintf("; after %s %s", lab.Seconds(a.rest), a.restless)
	}
	return told + "; the crowd: " + a.crowd.String() + "; longest: " + a.slowest
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// syncs counts, with strace, how many acknowledged creates share one fsync when 64 clients create; and, to show that
// the count can tell, the same where every create is a group of its own.
func (r *rig) syncs(ctx context.Context, f *field) error {
	if _, err := exec.LookPath("strace"); err != nil {
		r.results.Notes = append(r.results.Notes, "strace is not installed: fsyncs were not counted.")
		return nil
	}
	r.say("fsyncs")
	one := *f.write
	one.program = r.planted
	for range r.Rounds {
		for _, run := range []struct {
			name string
			g    *ground
			env  []string
		}{{"creates per fsync", f.write, nil}, {"creates per fsync, groups of one", &one, groupOfOne}} {
			got, err := r.syncsOf(ctx, run.g, run.env)
			if err != nil {
				return fmt.Errorf("%s: %w", run.name, err)
			}
			r.figure(run.name, got)
		}
	}
	r.say("  creates per fsync: %.1f, in groups of one: %.2f", median(r.results.Figures["creates per fsync"]),
		median(r.results.Figures["creates per fsync, groups of one"]))
	return nil
}

// syncsOf starts the service below strace, which stops it at nothing but those calls, and gives the creates per fsync.
func (r *rig) syncsOf(ctx context.Context, g *ground, env []string) (float64, error) {
	address, err := freeAddress()
	if err != nil {
		return 0, err
	}
	s := &server{name: "strace", address: address}
	calls := filepath.Join(r.folder, "calls")
	args := []string{
		"-f", "--seccomp-bpf", "-ttt", "-e", "trace=fsync,fdatasync", "-o", calls, g.program, "serve",
		"--listen", address,
	}
	if err := r.start(ctx, s, g.page("")(nil, nil), env, "strace", append(args, g.place()...)...); err != nil {
		return 0, err
	}
	tracer := s.pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", tracer, tracer))
	if err != nil {
		return 0, err
	}
	// Ending the service ends strace; the other way round leaves the service alone.
	if s.pid, err = strconv.Atoi(strings.TrimSpace(string(children))); err != nil {
		return 0, err
	}
	from := time.Now().Add(r.Turn / 5)
	got, err := s.closed(ctx, 64, r.Turn, 201, g.create)
	to := from.Add(r.Turn)
	s.stop()
	if err != nil {
		return 0, err
	}
	n, err := countCalls(calls, from, to)
	if err == nil && n == 0 {
		err = errors.New("strace saw no fsync")
	}
	return float64(got.Count) / float64(n), err
}

// countCalls counts the calls that began between two moments. A call that another thread interrupted takes two lines,
// and counts once.
func countCalls(file string, from, to time.Time) (int, error) {
	in, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	n := 0
	for lines := bufio.NewScanner(in); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 || !strings.HasPrefix(fields[2], "fsync(") && !strings.HasPrefix(fields[2], "fdatasync(") {
			continue
		}
		at, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return 0, err
		}
		if moment := time.UnixMicro(int64(at * 1e6)); moment.After(from) && moment.Before(to) {
			n++
		}
	}
	return n, nil
}

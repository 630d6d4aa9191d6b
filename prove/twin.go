package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
)

// twin makes a further process of the same installation, with an address of its own. It is not started; the database must be one that
// several processes may share.
func (s *site) twin() (*site, error) {
	c := *s
	var err error
	if c.address, err = freeAddress(s.t); err != nil {
		return nil, err
	}
	c.base, c.data = "http://"+c.address, s.data+"-twin"
	c.place = slices.Clone(s.place)
	c.place[slices.Index(c.place, s.data)] = c.data
	if !slices.Contains(c.place, "--blob-url") {
		c.place = append(c.place, "--blob-url", "file:"+filepath.Join(s.data, "files"))
	}
	// What it answers is the same, wherever it listens.
	c.env = append(slices.Clone(s.env), "GROUNDWORK_PUBLIC_URL="+s.base)
	if c.log, err = os.Create(s.t.path("log-twin")); err != nil {
		return nil, err
	}
	s.t.atEnd(c.end)
	return &c, nil
}

// startAll starts an installation: one process, or two where the database can be shared.
func startAll(t *trial, tag string, env ...string) ([]*site, error) {
	s, err := newSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	all := []*site{s}
	if t.engine == postgres {
		twin, err := s.twin()
		if err != nil {
			return nil, err
		}
		all = append(all, twin)
	}
	for _, s := range all {
		if _, err := s.start(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// killAfter kills the processes in turn and starts each again, n times in all, each time once another equal share of total is done. gone is
// called while the process is down, unless it is nil.
func killAfter(t *trial, all []*site, n, total int, done *atomic.Int64, over <-chan struct{}, gone func(*site)) error {
	for i := range n {
		for done.Load() < int64((i+1)*total/(n+1)) {
			select {
			case <-over:
				return fmt.Errorf("the load ended after %d of %d kills", i, n)
			case <-t.Done():
				return t.Err()
			case <-time.After(time.Millisecond):
			}
		}
		s := all[i%len(all)]
		if err := s.kill(); err != nil {
			return err
		}
		if gone != nil {
			gone(s)
		}
		if _, err := s.start(); err != nil {
			return err
		}
	}
	return nil
}

package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
)

// Twin is a further process of the same installation, of another program, with what is planted in it. It is not
// started.
func (s *Site) Twin(tag string, env ...string) (*Site, error) {
	program, err := s.Trial.Lab.Build(s.Trial, tag)
	if err != nil {
		return nil, err
	}
	c, err := s.twin()
	if err != nil {
		return nil, err
	}
	c.Program, c.env = program, append(c.env, env...)
	return c, nil
}

// twin makes a further process of the same installation, with an address of its own. It is not started; the database
// must be one that several processes may share.
func (s *Site) twin() (*Site, error) {
	c := *s
	var err error
	if c.Address, err = freeAddress(s.Trial); err != nil {
		return nil, err
	}
	c.BaseURL, c.DataFolder = "http://"+c.Address, s.DataFolder+"-twin"
	c.Location = slices.Clone(s.Location)
	c.Location[slices.Index(c.Location, s.DataFolder)] = c.DataFolder
	if !slices.Contains(c.Location, "--blob-url") {
		c.Location = append(c.Location, "--blob-url", "file:"+filepath.Join(s.DataFolder, "files"))
	}
	// What it answers is the same, wherever it listens.
	c.env = append(slices.Clone(s.env), "GROUNDWORK_PUBLIC_URL="+s.BaseURL)
	if c.Log, err = os.Create(s.Trial.Path("log-twin")); err != nil {
		return nil, err
	}
	s.Trial.AtEnd(c.end)
	return &c, nil
}

// StartAll starts an installation: one process, or two where the database can be shared.
func StartAll(t *Trial, tag string, env ...string) ([]*Site, error) {
	s, err := NewSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	all := []*Site{s}
	if t.Engine == PostgreSQL {
		twin, err := s.twin()
		if err != nil {
			return nil, err
		}
		all = append(all, twin)
	}
	for _, s := range all {
		if _, err := s.Start(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// KillAfter kills the processes in turn and starts each again, n times in all, each time once another equal share of
// total is done. gone is called while the process is down, unless it is nil.
func KillAfter(t *Trial, all []*Site, n, total int, done *atomic.Int64, over <-chan struct{}, gone func(*Site)) error {
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
		if err := s.Kill(); err != nil {
			return err
		}
		if gone != nil {
			gone(s)
		}
		if _, err := s.Start(); err != nil {
			return err
		}
	}
	return nil
}

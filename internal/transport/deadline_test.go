package transport

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// TestDeadline looks at what a connection is told of the deadlines that are set for it.
func TestDeadline(t *testing.T) {
	now := time.Now()
	var told []time.Time
	d := deadline{tell: func(at time.Time) error { told = append(told, at); return nil }}
	wait := func() error {
		err := d.begin()
		if err == nil {
			d.end()
		}
		return err
	}
	for i, step := range []struct {
		set  time.Time
		told bool
		ends bool
	}{
		{set: time.Time{}},
		{set: now.Add(2 * time.Minute), told: true},
		{set: now.Add(2*time.Minute + early)},
		{set: now.Add(2*time.Minute + early + 1), told: true},
		{set: now.Add(2 * time.Minute), told: true}, // earlier
		{set: time.Unix(1, 0), ends: true},
		{set: now.Add(2 * time.Minute)},
		{set: time.Time{}, told: true},
	} {
		told = nil
		if err := d.set(step.set); err != nil || told != nil {
			t.Errorf("%d: told %v (%v) before anybody waits", i, told, err)
		}
		if err := wait(); step.ends != errors.Is(err, os.ErrDeadlineExceeded) || step.ends != (err != nil) {
			t.Errorf("%d: %v", i, err)
		}
		if step.told != (len(told) == 1) || step.told && !told[0].Equal(step.set) {
			t.Errorf("%d: told %v of %v", i, told, step.set)
		}
	}
}

// TestDeadlineEndsAWait sets one while another waits, as net/http does to take its connection back.
func TestDeadlineEndsAWait(t *testing.T) {
	address := make(chan string)
	ended := make(chan error)
	go func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			close(address)
			ended <- err
			return
		}
		defer l.Close()
		address <- l.Addr().String()
		inner, err := l.Accept()
		if err != nil {
			ended <- err
			return
		}
		c := newConn(inner)
		defer c.Close()
		waits := make(chan error)
		go func() {
			_, err := c.Read(make([]byte, 1))
			waits <- err
		}()
		if _, err := c.Write([]byte("x")); err != nil { // whether the other waits by now or not, it must end
			ended <- err
			return
		}
		_ = c.SetReadDeadline(time.Unix(1, 0))
		ended <- <-waits
	}()
	c, err := net.Dial("tcp", <-address)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the wait ended with %v", err)
	}
	_ = c.Close()
}

package store

import (
	"context"
	"time"
)

// A lane puts writes in order and commits whatever is queued together, without a timer: while one commit waits for the
// disk, the next group gathers. A write that finds the lane empty commits itself and wakes nobody; when others have
// queued meanwhile, they get a goroutine that works until the queue is empty.
type lane struct {
	queue   []*command
	running bool
}

// command is one write: a function that runs inside a transaction.
type command struct {
	ctx     context.Context
	project *Project
	actor   uint32
	fn      func(*Tx) error
	long    bool // it may take minutes
	wording wording
	err     error
	done    chan struct{}
	queued  time.Time
	began   time.Time // of the last attempt
	group   int       // how many writes it was committed with
}

// acknowledge lets the writers of a group go on; a planted fault may have done so before.
func acknowledge(group []*command) {
	for _, c := range group {
		select {
		case <-c.done:
		default:
			close(c.done)
		}
	}
}

// longLane is the lane of writes that take long, where projects have lanes of their own.
const longLane = -1

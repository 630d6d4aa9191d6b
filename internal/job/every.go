package job

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/store"
)

// period is a kind that is enqueued again and again.
type period struct {
	kind     *kind
	interval time.Duration
	args     []byte
	last     int64 // the last period that was seen to be enqueued
}

// Every enqueues a declared kind, with the zero value of its arguments, once in each interval of the clock: once in
// all, however many processes share the database. What was missed while none ran is not made up for.
func (q *Queue) Every(name string, interval time.Duration) {
	k := q.kind(name)
	if k == nil || interval <= 0 || k.options.Heavy {
		panic(fmt.Sprintf("job: %q is not declared, has no interval, or is heavy", name))
	}
	args, err := json.Marshal(reflect.Zero(k.args).Interface())
	if err != nil {
		panic(fmt.Sprintf("job: arguments of %s: %v", name, err))
	}
	q.periods = append(q.periods, &period{kind: k, interval: interval, args: args, last: -1})
}

// enqueueDue writes the jobs of the periods that have begun. Their ids say kind and period, so that the second process
// finds the row of the first.
func (q *Queue) enqueueDue(ctx context.Context) error {
	for _, p := range q.periods {
		length := p.interval.Microseconds()
		number := q.store.Now() / length
		if number == p.last {
			continue
		}
		id := p.kind.name + "/" + time.UnixMicro(number*length).UTC().Format(time.RFC3339Nano)
		err := q.store.Write(ctx, func(tx *store.Tx) error {
			return tx.Exec(insertJob, id, p.kind.name, p.args, tx.Now(), tx.Now(), "")
		})
		if err != nil {
			return err
		}
		p.last = number
		p.kind.hot.Store(true)
	}
	return nil
}

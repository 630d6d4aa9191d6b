package job

import (
	"context"
	"time"

	"groundwork/internal/store"
)

// Count is how much there is, and was, of a kind of job.
type Count struct {
	Kind string
	// Waiting and Running are those of all processes. Due is for how long that one has been due that waits longest.
	Waiting, Running int64
	Due              time.Duration
	// Done, Failed and Repeated are how the attempts of this process ended: Repeated are those that failed and are to
	// be tried again. Spent is how long they took, together.
	Done, Failed, Repeated int64
	Spent                  time.Duration
}

// OtherKind stands for the kinds that this release does not know.
const OtherKind = "other"

// Counts tells of every kind that is declared, in that order, and of all others as one.
func (q *Queue) Counts(ctx context.Context) ([]Count, error) {
	all, at := make([]Count, 0, len(q.kinds)+1), map[string]int{}
	for i, k := range q.kinds {
		at[k.name] = i
		all = append(all, Count{
			Kind: k.name, Done: k.ended[Done].Load(), Failed: k.ended[Failed].Load(), Repeated: k.ended[Waiting].Load(),
			Spent: time.Duration(k.spent.Load()),
		})
	}
	all = append(all, Count{Kind: OtherKind})
	now := q.store.Now()
	err := q.store.Query(ctx, countJobs, nil, func(c *store.Cols) error {
		i, known := at[c.Text(0)]
		if !known {
			i = len(all) - 1
		}
		if State(c.Int(1)) == Running {
			all[i].Running += c.Int(2)
			return nil
		}
		all[i].Waiting += c.Int(2)
		all[i].Due = max(all[i].Due, time.Duration(now-c.Int(3))*time.Microsecond)
		return nil
	})
	return all, err
}

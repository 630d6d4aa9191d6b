package mirror

import (
	"fmt"
	"sync"
	"time"

	"groundwork/prove/lab"
)

// E44 holds the copies that readers keep with one cursor against what they may read.
var E44 = &lab.Experiment{
	ID:       "E44",
	Title:    "4 people make, change, delete, pin and publish, are removed, come back and change roles, with kill -9 in between; three readers keep copies with one cursor, one by the change log with records, two by events that are cut; two processes where the database is shared",
	MustHold: "each reader ends with exactly the records that they may GET, with their counts, and none that is hidden from them",
	Control:  "does not keep who saw a record before it was hidden, so that the log has no hide",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		w, err := newWorld(t, lab.Released)
		if err != nil {
			return err
		}
		kills := t.ShortOrFull(1, 20)
		wrong, err := w.mirror(t.ShortOrFull(500, 10_000), kills)
		if err != nil {
			return err
		}
		for _, text := range wrong {
			t.Require(false, "%s", text)
		}
		t.Note("kills, processes", "%d, %d", kills, len(w.sites))
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		w, err := newWorld(t, lab.Planted, "GROUNDWORK_PLANT=no-hide")
		if err != nil {
			return "", err
		}
		wrong, err := w.mirror(t.ShortOrFull(500, 1500), 0)
		if err != nil || len(wrong) == 0 {
			return "", err
		}
		return fmt.Sprintf("%d records differ: %s", len(wrong), wrong[0]), nil
	},
}

// mirror has readers keep copies while people act, and gives how these differ from what they may read.
func (w *world) mirror(changes, kills int) (wrong []string, err error) {
	readers := []*reader{w.reader(0), w.reader(1), w.reader(2)}
	follow := []func(*reader, <-chan string){(*reader).listen, (*reader).poll, (*reader).listen}
	var reading sync.WaitGroup
	ends := make([]chan string, len(readers))
	for i, r := range readers {
		ends[i] = make(chan string, 1)
		reading.Go(func() { follow[i](r, ends[i]) })
	}
	last, err := w.run(changes, kills)
	for _, end := range ends {
		end <- last // what nobody has is never seen; then the trial ends in time
	}
	if err != nil {
		return nil, err
	}
	reading.Wait()
	if w.t.Err() != nil {
		return nil, fmt.Errorf("the readers never saw the last change: %w", w.t.Err())
	}
	w.t.Note("changes", "%s", lab.Thousands(int(w.done.Load())))
	// What is told of somebody who proved their address comes by a job of its own, perhaps in another process.
	const settles = 20 * time.Second
	records := make([]int, len(readers))
	for end := time.Now().Add(settles); ; time.Sleep(200 * time.Millisecond) {
		wrong = nil
		for i, r := range readers {
			differ, n, err := r.compare()
			if err != nil {
				return nil, err
			}
			wrong, records[i] = append(wrong, differ...), n
		}
		if len(wrong) == 0 || time.Now().After(end) {
			break
		}
	}
	for i, r := range readers {
		w.t.Note(r.name+": records, hidden, walks, streams", "%s, %d, %d, %d", lab.Thousands(records[i]), r.hidden,
			r.walks, r.cuts)
	}
	w.t.Note("records that differ", "%d", len(wrong))
	return wrong, nil
}

package store

import "context"

// File files all words that wait.
func (s *Store) File(ctx context.Context) error {
	for all := !s.engine.words().later; !all; {
		var err error
		if all, err = s.file(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Restarts tells how often the log has begun anew.
func Restarts(t *Tail) int {
	t.engine.logs.Lock()
	defer t.engine.logs.Unlock()
	return t.restarts
}

// BoundTail sets how much a tail keeps, and how long the log may become.
func BoundTail(t *Tail, taken, log int64) { t.mostTaken, t.mostLog = taken, log }

// TailLost tells whether the tail is lost.
func TailLost(t *Tail) bool {
	t.engine.logs.Lock()
	defer t.engine.logs.Unlock()
	return t.lost != nil
}

// LogCopied tells how many pages the log has, and how many of them are in the file.
func LogCopied(t *Tail) (log, copied int64) {
	t.engine.logs.Lock()
	defer t.engine.logs.Unlock()
	return t.ask.walFrames("NOOP")
}

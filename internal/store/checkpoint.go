package store

import "time"

// checkpoint copies the log back into the file beside the writer, so that a commit never has to.
func (e *lite) checkpoint(keeper *liteConn) {
	defer e.stopped.Done()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		most := int64(walBusy)
		select {
		case <-e.stop:
			_ = keeper.conn.Close()
			return
		case <-tick.C:
			// As after a commit: nothing that is kept grows old, not even where nobody comes to read again.
			e.readers.refresh(e.done.Add(1))
		case <-e.full:
			e.readers.refresh(e.done.Load())
			most = walLeft
		}
		if plantedNoCheckpoint {
			continue
		}
		if e.mayCopy(keeper, most) {
			keeper.walFrames("PASSIVE")
			e.logs.Lock()
			e.copying = false
			e.logs.Unlock()
		}
	}
}

// mayCopy tells whether more than so many pages are to be copied back, and notes that they are. Whoever follows the log
// holds it before.
func (e *lite) mayCopy(keeper *liteConn, most int64) bool {
	e.logs.Lock()
	defer e.logs.Unlock()
	log, copied := keeper.walFrames("NOOP")
	e.copying = log-copied > most && (e.tail == nil || e.tail.pin())
	return e.copying
}

// idle begins the log anew when it is long. The file keeps its length: a disk writes where something stands already in
// a fraction of the time that it needs for a file that grows.
func (e *lite) idle() {
	if e.commits++; e.commits < lookEvery || plantedNoCheckpoint {
		return
	}
	e.commits = 0
	log, copied := e.writer.walFrames("NOOP")
	if log < walFull {
		e.retry = walFull
	}
	if log < e.retry {
		return
	}
	// It would wait in vain for a snapshot, which is held for as long as a backup reads.
	if e.views.Load() > 0 {
		e.retry = log + walLeft
		return
	}
	if log-copied > walLeft && log < walMost {
		select {
		case e.full <- struct{}{}:
		default: // it knows
		}
		e.commits = lookEvery
		return
	}
	if !e.logs.TryLock() {
		e.commits = lookEvery
		return
	}
	defer e.logs.Unlock()
	if e.copying || e.tail != nil && !e.tail.yield(log) {
		e.retry = log + walLeft
		return
	}
	e.readers.clear()
	defer e.readers.resume()
	// A reader in the middle of a long page holds the log; writers do not wait for it but try again a little later.
	e.writer.conn.SetBusyTimeout(20 * time.Millisecond)
	e.writer.walFrames("RESTART")
	e.writer.conn.SetBusyTimeout(busyTimeout)
	e.retry = log + walBusy
}

package job

import "time"

// Lease is how long a process that died keeps its jobs.
const Lease = leaseFor

// Rest makes a queue that was started look around only when it is woken.
func (q *Queue) Rest() { q.poll = time.Hour }

// Pause gives how long a job rests after its n-th attempt.
func (o Options) Pause(n int) time.Duration { return o.settled().pause(n) }

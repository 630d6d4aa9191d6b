package job

// Every statement, once for both engines. Unfinished is state < 2, in these words: the partial indexes are known by them.
const (
	insertJob  = "INSERT INTO jobs (id, kind, args, state, run_at, attempt, progress, created_at) VALUES ($1, $2, $3, 0, $4, 0, 0, $5) ON CONFLICT (id) DO NOTHING"
	findSingle = "SELECT id FROM jobs WHERE kind = $1 AND key = $2 AND state < 2"
	// The update changes nothing; it makes RETURNING give the job that was there.
	insertSingle = "INSERT INTO jobs (id, kind, args, state, run_at, attempt, progress, created_at, key) VALUES ($1, $2, $3, 0, $4, 0, 0, $5, $6) " +
		"ON CONFLICT (kind, key) WHERE state < 2 DO UPDATE SET key = $6 RETURNING id"

	findDue = "SELECT id FROM jobs WHERE kind = $1 AND state < 2 AND run_at <= $2 LIMIT 1"
	// The outer conditions repeat the inner ones: a row that another process took meanwhile is looked at again, and no longer fits.
	claimDue = "UPDATE jobs SET state = 1, run_at = $3, attempt = attempt + 1 WHERE state < 2 AND run_at <= $2 AND id IN " +
		"(SELECT id FROM jobs WHERE kind = $1 AND state < 2 AND run_at <= $2 ORDER BY run_at, id LIMIT $4) RETURNING id, args, attempt, progress"

	// attempt is the fence: whoever begins a job raises it, so what an earlier attempt still writes finds no row.
	ours      = " WHERE id = $1 AND attempt = $2 AND state = 1"
	renewJob  = "UPDATE jobs SET run_at = $3, progress = $4" + ours + " RETURNING id"
	finishJob = "UPDATE jobs SET state = $3, run_at = $4, progress = $5, error = $6, finished_at = $7" + ours + " RETURNING id"
	// The attempt does not count, and the next one has the same number: a run that was given back must write no more.
	giveBack = "UPDATE jobs SET state = 0, run_at = $3, progress = $4, attempt = attempt - 1" + ours

	getJob    = "SELECT id, kind, state, progress, attempt, error, run_at, created_at, finished_at FROM jobs WHERE id = $1"
	sweepJobs = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state > 1 AND finished_at <= $1 ORDER BY finished_at LIMIT 500) RETURNING id"
)

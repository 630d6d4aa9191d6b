package job

// Every statement, once for both engines. Unfinished is state < 2, in these words: the partial indexes are known by
// them.
const (
	insertJob  = "INSERT INTO jobs (id, kind, args, state, run_at, attempt, progress, created_at, turn) VALUES ($1, $2, $3, 0, $4, 0, 0, $5, 0) ON CONFLICT (id) DO NOTHING"
	findSingle = "SELECT id FROM jobs WHERE kind = $1 AND key = $2 AND state < 2"
	// The update changes nothing; it makes RETURNING give the job that was there.
	insertSingle = "INSERT INTO jobs (id, kind, args, state, run_at, attempt, progress, created_at, key, turn) VALUES ($1, $2, $3, 0, $4, 0, 0, $5, $6, 0) " +
		"ON CONFLICT (kind, key) WHERE state < 2 DO UPDATE SET key = $6 RETURNING id"

	// A heavy job comes in the round after its owner's last one, but not before the round that is under way: the latest
	// of those that run, or else the first of those that wait. See insertHeavy for those who have none.
	insertHeavy = "INSERT INTO jobs (id, kind, args, state, run_at, attempt, progress, created_at, owner, turn) VALUES ($1, $2, $3, 0, $4, 0, 0, $5, $6, $7) ON CONFLICT (id) DO NOTHING"
	turns       = "SELECT (SELECT COALESCE(MAX(turn), 0) FROM jobs WHERE kind = $1 AND owner = $2 AND state < 2 AND turn > 0), " +
		"(SELECT COALESCE(MAX(turn), 0) FROM jobs WHERE kind = $1 AND state = 1 AND state < 2 AND turn > 0), " +
		"(SELECT COALESCE(MIN(turn), 0) FROM jobs WHERE kind = $1 AND state = 0 AND state < 2 AND turn > 0)"
	countOwned = "SELECT COUNT(*) FROM jobs WHERE kind = $1 AND owner = $2 AND state < 2 AND turn > 0"

	findDue = "SELECT id FROM jobs WHERE kind = $1 AND state < 2 AND run_at <= $2 LIMIT 1"
	// The outer conditions repeat the inner ones: a row that another process took meanwhile is looked at again, and no
	// longer fits.
	claimDue = "UPDATE jobs SET state = 1, run_at = $3, attempt = attempt + 1 WHERE state < 2 AND run_at <= $2 AND id IN " +
		"(SELECT id FROM jobs WHERE kind = $1 AND state < 2 AND run_at <= $2 ORDER BY run_at, id LIMIT $4) RETURNING " +
		begun
	begun = "id, args, attempt, progress, owner, deaths, turn"

	// Heavy work: first what nobody died of, by turns; what ran when its process died only by itself.
	findHeavy  = "SELECT id FROM jobs WHERE kind = $1 AND state < 2 AND state = 0 AND deaths = 0 AND run_at <= $2 LIMIT 1"
	claimHeavy = "UPDATE jobs SET state = 1, run_at = $3, attempt = attempt + 1 WHERE state = 0 AND run_at <= $2 AND id IN " +
		"(SELECT id FROM jobs WHERE kind = $1 AND state = 0 AND state < 2 AND turn > 0 AND deaths = 0 AND run_at <= $2 ORDER BY turn, run_at, id LIMIT $4) RETURNING " + begun
	suspect = "state < 2 AND turn > 0 AND (state = 1 OR deaths > 0)"
	// There are no more than ran when processes died: some tens.
	findSuspects = "SELECT id, kind, owner FROM jobs WHERE " + suspect +
		" AND run_at <= $1 ORDER BY run_at, id LIMIT 1000"
	claimSuspect = "UPDATE jobs SET deaths = deaths + CASE WHEN state = 1 THEN 1 ELSE 0 END, state = 1, run_at = $3, attempt = attempt + 1 " +
		"WHERE id = $1 AND " + suspect + " AND run_at <= $2 RETURNING " + begun

	// attempt is the fence: whoever begins a job raises it, so what an earlier attempt still writes finds no row.
	ours     = " WHERE id = $1 AND attempt = $2 AND state = 1"
	renewJob = "UPDATE jobs SET run_at = $3, progress = $4" + ours + " RETURNING id"
	outlived = "UPDATE jobs SET deaths = 0" + ours + " RETURNING id"
	// The process that lost a lease is not dead: what the next one counted is taken back.
	livesOn   = "UPDATE jobs SET deaths = deaths - 1 WHERE id = $1 AND attempt = $2 + 1 AND deaths > 0 AND state < 2"
	finishJob = "UPDATE jobs SET state = $3, run_at = $4, progress = $5, error = $6, finished_at = $7" + ours +
		" RETURNING id"
	// The attempt does not count, and the next one has the same number: a run that was given back must write no more.
	giveBack = "UPDATE jobs SET state = 0, run_at = $3, progress = $4, attempt = attempt - 1" + ours

	getJob    = "SELECT id, kind, state, progress, attempt, error, run_at, created_at, finished_at FROM jobs WHERE id = $1"
	sweepJobs = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state > 1 AND finished_at <= $1 ORDER BY finished_at LIMIT 500) RETURNING id"
)

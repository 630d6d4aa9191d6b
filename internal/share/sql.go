package share

const (
	insertShareable = "INSERT INTO shareables (project, uid, kind, account, job, status, created_at) VALUES ($1, $2, $3, $4, $5, 0, $6)"
	countOpen       = "SELECT COUNT(*) FROM shareables WHERE project = $1 AND status = 0"
	findUnderWay    = "SELECT uid FROM shareables WHERE project = $1 AND kind = $2 AND account = $3 AND status = 0"
	// Whose it is not, does not find it.
	findShareable = "SELECT status, message, object, job FROM shareables WHERE project = $1 AND uid = $2 AND kind = $3 AND account = $4"
	beginObject   = "SELECT object FROM shareables WHERE project = $1 AND uid = $2 AND status = 0"
	setObject     = "UPDATE shareables SET object = $3 WHERE project = $1 AND uid = $2 AND status = 0"
	// An attempt that is not the last one finds another object than its own.
	completeShareable = "UPDATE shareables SET status = 1, ended_at = $4 WHERE project = $1 AND uid = $2 AND object = $3 AND status = 0 RETURNING uid"
	// The files of those that are replaced are removed by the next sweep.
	replaceShareables = "UPDATE shareables SET status = 2, message = $5 WHERE project = $1 AND kind = $2 AND account = $3 AND uid <> $4 AND status = 1"
	failShareable     = "UPDATE shareables SET status = 2, message = $3, ended_at = $4 WHERE project = $1 AND uid = $2 AND status = 0"

	unended       = "SELECT uid, job FROM shareables WHERE project = $1 AND status = 0 AND created_at < $2"
	expired       = "SELECT uid, object FROM shareables WHERE project = $1 AND status > 0 AND ended_at < $2 AND object IS NOT NULL ORDER BY created_at LIMIT 500"
	expire        = "UPDATE shareables SET status = 2, message = $3 WHERE project = $1 AND uid = $2 AND status = 1"
	forgetObject  = "UPDATE shareables SET object = NULL WHERE project = $1 AND uid = $2"
	abandonObject = "SELECT uid, object FROM shareables WHERE project = $1 AND status = 2 AND object IS NOT NULL LIMIT 500"
)

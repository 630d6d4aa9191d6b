package upload

const (
	// To begin again renews everything but what came; what a record has is left alone.
	insertUpload = "INSERT INTO uploads (project, uid, token, kind, account, credential, type, name, detail, most, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) " +
		"ON CONFLICT (project, uid, kind) DO UPDATE SET token = $3, account = $5, credential = $6, type = $7, name = $8, detail = $9, most = $10, expires_at = $11, completed = 0 WHERE uploads.completed <> 1"
	wholeUpload  = "SELECT uid, kind, credential, type, name, detail, most, expires_at, object, size, sha256, completed, account FROM uploads"
	uploadByUID  = wholeUpload + " WHERE project = $1 AND kind = $2 AND uid = $3"
	uploadsByUID = wholeUpload + " WHERE project = $1 AND uid = $2"
	uploadByHash = wholeUpload + " WHERE project = $1 AND token = $2 AND kind = $3"
	setObject    = "UPDATE uploads SET object = $4, size = $5, sha256 = $6 WHERE project = $1 AND kind = $2 AND uid = $3"
	setCompleted = "UPDATE uploads SET completed = $4 WHERE project = $1 AND kind = $2 AND uid = $3"
	expired      = "SELECT uid FROM uploads WHERE project = $1 AND expires_at < $2 LIMIT 1"
	dropExpired  = "DELETE FROM uploads WHERE project = $1 AND expires_at < $2 RETURNING object, completed"

	insertFile = "INSERT INTO files (object, project, record, type, name, size, sha256, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
	hashes     = "SELECT record, sha256 FROM files WHERE project = $1"
	findFile   = "SELECT type, name, size, sha256, created_at FROM files WHERE project = $1 AND object = $2"
	deleteFile = "DELETE FROM files WHERE project = $1 AND object = $2"
	renameFile = "UPDATE files SET name = $3 WHERE project = $1 AND object = $2"
	giveFile   = "UPDATE files SET record = $3, name = $4 WHERE project = $1 AND object = $2"
	// The files of a project, and those that came for its uploads under way.
	allFiles   = "SELECT object, name, size, sha256 FROM files WHERE project = $1 UNION ALL SELECT object, name, size, sha256 FROM uploads WHERE project = $1 AND completed <> 1 AND object IS NOT NULL"
	namedFiles = "SELECT record FROM files WHERE project = $1 AND name = $2 ORDER BY record DESC"
	// What a project's files take, and what those take that came and are not completed, but for one upload's.
	// How many files a project has, and what they take, with those that came and are not completed.
	usage = "SELECT CAST(COUNT(*) AS BIGINT), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM (SELECT size FROM files WHERE project = $1 " +
		"UNION ALL SELECT size FROM uploads WHERE project = $1 AND completed <> 1 AND object IS NOT NULL) AS kept"
	usedByFiles   = "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM files WHERE project = $1"
	usedByUploads = "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM uploads WHERE project = $1 AND completed <> 1 AND NOT (kind = $2 AND uid = $3)"
)

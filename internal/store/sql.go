package store

import (
	"strconv"
	"strings"
)

// Every statement on the ledger, written once for both engines: $1, $2, … without gaps, no casts.
const (
	takeProject   = "SELECT clock, seq, epoch FROM projects WHERE id = $1"
	findProject   = "SELECT id, clock, seq, epoch FROM projects WHERE uid = $1"
	nthProject    = "SELECT id, uid, clock, seq FROM projects WHERE id > $1 ORDER BY id LIMIT 100"
	lastProject   = "SELECT MAX(id) FROM (SELECT MAX(id) AS id FROM projects UNION ALL SELECT MAX(number) FROM erasures) AS given"
	insertProject = "INSERT INTO projects (id, uid, clock, seq) VALUES ($1, $2, $3, $4)"
	setProject    = "UPDATE projects SET clock = $2, seq = $3, epoch = $4 WHERE id = $1"

	lastRecord   = "SELECT id FROM records WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT 1"
	insertRecord = "INSERT INTO records (id, uid, clock, deleted, tally, terms, version, doc, private) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
	updateRecord = "UPDATE records SET clock = $2, deleted = $3, tally = $4, terms = $5, version = $6, doc = $7, private = $8 WHERE id = $1"
	wholeRecord  = "SELECT id, uid, clock, deleted, tally, terms, version, doc, private FROM records"
	recordByUID  = wholeRecord + " WHERE uid = $1 AND id >= $2 AND id < $3"
	recordPlaced = wholeRecord + " WHERE id = $1 AND uid = $2"
	recordByID   = wholeRecord + " WHERE id = $1"
	recordsFrom  = wholeRecord + " WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 500"
	pageRange    = "SELECT clock, tally, version, doc FROM records WHERE id >= $1 AND id <= $2 ORDER BY id"
	lineByUID    = "SELECT id, clock, tally, version, doc FROM records WHERE uid = $1 AND id >= $2 AND id < $3"
	termsByUID   = "SELECT terms FROM records WHERE uid = $1 AND id >= $2 AND id < $3"
	linePlaced   = "SELECT id, clock, tally, version, doc FROM records WHERE id = $1 AND uid = $2"
	indexRows    = "SELECT id, clock, deleted, terms FROM records WHERE id >= $1 AND id < $2 ORDER BY id"
	olderRecords = "SELECT id, uid FROM records WHERE id >= $1 AND id < $2 AND version < $3 ORDER BY id LIMIT 100"
	ownRecords   = "SELECT id FROM records WHERE uid = $1 AND deleted = 0 ORDER BY id"
	countOwn     = "SELECT COUNT(*) FROM records WHERE uid = $1 AND deleted = 0"

	// Team records are kind 2; the index records_waiting has exactly these.
	ownFounded   = "SELECT id FROM records WHERE uid = $1 AND (id >> 32) & 127 = 2 AND id & 4294967295 = 1 AND deleted = 0 LIMIT $2"
	ownElsewhere = "SELECT id FROM records WHERE uid = $1 AND (id < $2 OR id >= $3) ORDER BY id LIMIT 1"

	everOwn = "SELECT r.id, r.clock, r.deleted, r.terms, p.uid, p.clock, p.seq, p.epoch FROM records r JOIN projects p ON p.id = (r.id >> 39) WHERE r.uid = $1 AND r.id > $2 ORDER BY r.id LIMIT $3"
	// Some at a time: where the account is on the team now.
	ownFrom = "SELECT r.id, r.clock, r.deleted, r.terms, p.uid, p.clock, p.seq, p.epoch FROM records r JOIN projects p ON p.id = (r.id >> 39) " +
		"WHERE r.uid = $1 AND r.id > $2 AND r.deleted = 0 ORDER BY r.id LIMIT 50"

	insertChange = "INSERT INTO changes (id, record, clock, op, actor, diff, was) VALUES ($1, $2, $3, $4, $5, $6, $7)"
	changesFrom  = "SELECT id, record, clock FROM changes WHERE id > $1 AND id < $2 ORDER BY id LIMIT 1000"
	allClocks    = "SELECT id, clock FROM records WHERE id >= $1 AND id < $2 ORDER BY id"
	// The records that changed since a sequence number, as they are now.
	changedRows = "SELECT r.id, r.clock, r.deleted, r.terms, c.id FROM changes c JOIN records r ON r.id = c.record WHERE c.id > $1 AND c.id < $2 ORDER BY c.id LIMIT 10001"
)

// reads tells whether a statement surely writes nothing. What gives rows may write them too: UPDATE … RETURNING, or
// WITH a part that does.
func reads(sql string) bool { return strings.HasPrefix(sql, "SELECT ") }

// most is the greatest page.
const most = 50

// pagePicked reads up to 50 records by id; free places repeat the last id. clocksPicked reads only their clocks.
// deletedPicked reads of up to 50 uids, in the range of a kind, whether they are deleted. seqsPicked reads how far
// projects are.
var (
	seqsPicked    = "SELECT id, seq FROM projects WHERE id IN (" + places + ")"
	pagePicked    = "SELECT id, clock, tally, version, doc FROM records WHERE id IN (" + places + ") ORDER BY id"
	clocksPicked  = "SELECT id, clock FROM records WHERE id IN (" + places + ") ORDER BY id"
	deletedPicked = "SELECT uid, deleted FROM records WHERE uid IN (" + places + ") AND id >= $" +
		strconv.Itoa(most+1) + " AND id < $" + strconv.Itoa(most+2)
)

// places are $1 to $50.
var places = func() string {
	var all []string
	for i := range most {
		all = append(all, "$"+strconv.Itoa(i+1))
	}
	return strings.Join(all, ", ")
}()

package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"groundwork/internal/api"
)

// Backups is what operators see and do about backups.
type Backups struct {
	Seen  func(context.Context) (BackupsSeen, error)
	Begin func(context.Context) error
}

// BackupsSeen is what the installation knows of its backups.
type BackupsSeen struct {
	// Here says that this server makes them.
	Here  bool
	Every time.Duration
	// Place is where they lie, without what lets somebody in there.
	Place string
	// Made is the moment of the last one, Checked that of the last one that was restored and compared; Unchecked says
	// why they are not.
	Made, Checked time.Time
	Unchecked     string
	UnderWay      bool
	Begun         time.Time
	// Wrong is what an operator should look at; "" where all is well.
	Wrong string
	// Continuous says that this server ships changes as they are committed: any moment from Since to Sent can be
	// restored. Compared is the moment of the last one that was restored and compared.
	Continuous            bool
	Since, Sent, Compared time.Time
	// WaitingFiles is how many files wait to be sent; it is known since FilesLooked, which is zero before.
	WaitingFiles int
	FilesLooked  time.Time
	ShipWrong    string
}

// Waiting says how many files wait to be sent.
func (s BackupsSeen) Waiting() string {
	switch {
	case s.FilesLooked.IsZero():
		return "not known yet: they are looked for with the first base after a start"
	case s.WaitingFiles == 0:
		return "none"
	}
	return strconv.Itoa(s.WaitingFiles)
}

func (b Backups) routes() []api.Route {
	return []api.Route{
		site("GET", "/operator/backups", api.Operator, "See when backups were made.", b.show),
		site("POST", "/operator/backups", api.Operator, "Make a backup now.", b.begin),
	}
}

func (b Backups) show(c *api.Call) error {
	seen, err := b.Seen(c.Context())
	if err != nil {
		return err
	}
	page := room(c, "operator-backups", "Backups")
	// Who has just asked for one, or wants to watch it, sees how it ends: first it waits for its turn.
	if query := c.Query(); query.Get("watch") != "" && (seen.UnderWay || query.Get("done") != "") {
		page["Watched"] = true
		c.SetHeader("Refresh", "3; url=/operator/backups?watch=1")
	}
	return answer(c, http.StatusOK, "operator-backups.html", shownBackups(page, seen))
}

// shownBackups adds to a page what it shows of backups.
func shownBackups(v view, seen BackupsSeen) view {
	v["Seen"], v["Made"], v["Checked"], v["Begun"] = seen, micro(seen.Made), micro(seen.Checked), micro(seen.Begun)
	v["Since"], v["Sent"], v["Compared"] = micro(seen.Since), micro(seen.Sent), micro(seen.Compared)
	return v
}

// micro is a time as pages show it; 0 where there is none.
func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// period says how often something is done, behind "every".
func period(d time.Duration) string {
	for _, unit := range []struct {
		long time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := d / unit.long; {
		case d%unit.long != 0 || n == 0:
		case n == 1:
			return unit.name
		default:
			return fmt.Sprint(int64(n), " ", unit.name, "s")
		}
	}
	return d.String()
}

func (b Backups) begin(c *api.Call) error {
	if _, err := c.Form(mostForm); err != nil {
		return err
	}
	if err := b.Begin(c.Context()); err != nil {
		return err
	}
	return c.Redirect("/operator/backups?done=backup&watch=1")
}

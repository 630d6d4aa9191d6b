package app

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"groundwork/internal/health"
	"groundwork/internal/job"
	"groundwork/internal/system"
	"groundwork/internal/web"
)

// What an operator should look at, beside what doctor says.
const (
	dueLong  = 15 * time.Minute // a job that waits
	waitLong = time.Second      // a write that waits, on average
	certSoon = 14 * 24 * time.Hour
	mailMany = 100
)

const (
	doctorCommand = "groundwork doctor"
	logCommand    = "journalctl -u groundwork --since -1h"
)

// seenState is how the installation is, for the operator's page. Nothing of it starts a process or asks another
// service: doctor does.
func (a *App) seenState(ctx context.Context) (seen web.StateSeen, err error) {
	now := time.UnixMicro(a.Store.Now())
	jobs, err := a.Jobs.Counts(ctx)
	if err != nil {
		return seen, err
	}
	stored, err := a.storage(ctx)
	if err != nil {
		return seen, err
	}
	backups, err := a.seenBackups(ctx)
	if err != nil {
		return seen, err
	}
	versions, err := a.seenVersions(ctx)
	if err != nil {
		return seen, err
	}
	seen.At = now.UnixMicro()
	seen.Groups = []web.StateGroup{
		a.seenHealth(ctx), a.seenLoad(), seenQueue(jobs), a.seenStorage(stored, now), seenBackupState(backups, now),
		a.seenMailState(jobs), a.seenCertificate(now), versions,
	}
	for _, p := range stored.Projects {
		name, err := a.nameOf(ctx, p.UID)
		if err != nil {
			return seen, err
		}
		seen.Stored = append(seen.Stored, web.StoredSeen{
			Project: p.UID, Name: name, Files: fmt.Sprint(p.Files), Bytes: bytesOf(p.Bytes),
			Share: int(100 * p.Bytes / max(stored.Bytes, 1)),
		})
	}
	return seen, nil
}

// judged is a line that is well, or not.
func judged(name, value string, err error, level web.Level, do, command string) web.StateLine {
	if err == nil {
		return web.StateLine{Name: name, Value: value, Level: web.Well}
	}
	return web.StateLine{Name: name, Value: sentence(err), Level: level, Do: do, Command: command}
}

// sentence is what an error says, as a sentence.
func sentence(err error) string {
	text := strings.TrimSpace(err.Error())
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

func (a *App) seenHealth(ctx context.Context) web.StateGroup {
	lines := []web.StateLine{
		judged("Database", a.Store.Engine()+" answers", a.Store.Ping(ctx), web.Bad,
			"Look whether the database runs and lets this service in.", doctorCommand),
	}
	files := error(nil)
	if a.Health.Troubled(health.Files) {
		files = fmt.Errorf("the file store does not answer")
	}
	lines = append(lines, judged("File store", "answers", files, web.Bad,
		"Uploads and downloads fail until it answers. The log says why, behind \"trouble begins\".", doctorCommand))
	for _, d := range a.disks() {
		room, err := system.RoomAt(d.folder)
		if err == nil {
			err = judgeDisk(d.folder, room.Free, room.Size)
		}
		lines = append(lines, judged("Disk of the "+d.of, fmt.Sprintf("%s free of %s", bytesOf(int64(room.Free)), bytesOf(int64(room.Size))),
			err, web.Bad, "Make it larger, or remove what is not needed; below are the projects that take most.",
			"df -h "+d.folder))
	}
	lines = append(lines, judged("Clock", "agrees with what is stored", a.checkProjects(ctx), web.Look,
		"Set the clock of the machine, and have it kept right.", "timedatectl set-ntp true"))
	return web.StateGroup{
		Name: "health", Title: "Health", Lines: lines,
		Do: "More is looked at, and asked, by", Command: doctorCommand,
	}
}

func (a *App) seenLoad() web.StateGroup {
	var lines []web.StateLine
	fact := func(name, format string, args ...any) {
		lines = append(lines, web.StateLine{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if edge := a.edge.Load(); edge != nil {
		l := edge.Load()
		fact("Requests", "%d being served", l.Requests)
		streams := web.StateLine{Name: "Event streams", Value: fmt.Sprintf("%d of %d open", l.Streams, l.MostStreams)}
		if l.Streams*10 > l.MostStreams*9 {
			streams.Level, streams.Do, streams.Command = web.Look,
				"Soon nobody more can follow a project. Allow more, at about 30 KB of memory each.", "groundwork serve --max-streams N"
		}
		lines = append(lines, streams)
		fact("Files on their way", "%d coming, %d going", l.Uploads, l.Downloads)
	}
	c := a.Store.Counts()
	wait := c.Waited / time.Duration(max(c.Writes, 1))
	writes := web.StateLine{Name: "Writes", Value: fmt.Sprintf("%d wait; %.1f in a commit, %s to wait for it on average since the start",
		c.Waiting, float64(c.Writes)/float64(max(c.Groups, 1)), wait.Round(10*time.Microsecond))}
	if wait > waitLong {
		writes.Level, writes.Do, writes.Command = web.Look, "The disk, or the database server, is slow or busy.", "iostat -x 5"
	}
	lines = append(lines, writes)
	w := a.Drawing.Counts()
	ended := int64(0)
	for _, n := range w.Ended {
		ended += n
	}
	fact("Drawing workers", "%d busy; %d started, %d ended during a task", w.Busy, w.Started, ended)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	fact("Memory of this process", "%s", bytesOf(int64(memory.Sys-memory.HeapReleased)))
	return web.StateGroup{
		Name: "load", Title: "Load", Lines: lines,
		Do: "Of this server, at this moment. Over time, deploy/grafana/groundwork.json shows it; the figures come from", Command: "/metrics",
	}
}

func seenQueue(all []job.Count) web.StateGroup {
	var waiting, running, failed int64
	oldest := slices.MaxFunc(all, func(a, b job.Count) int { return cmp.Compare(a.Due, b.Due) })
	var kinds []string
	for _, c := range all {
		waiting += c.Waiting
		running += c.Running
		if failed += c.Failed; c.Failed > 0 {
			kinds = append(kinds, fmt.Sprintf("%s (%d)", c.Kind, c.Failed))
		}
	}
	due := web.StateLine{Name: "Waits longest", Value: "nothing that is due", Level: web.Well}
	if oldest.Due > 0 {
		due.Value = oldest.Kind + ", due " + ago(oldest.Due)
	}
	if oldest.Due > dueLong {
		due.Level, due.Do, due.Command = web.Look,
			"Either there is more than this machine can do, or the work fails again and again; the log says which.", logCommand
	}
	lost := web.StateLine{Name: "Failed for good", Value: "nothing since the start", Level: web.Well}
	if failed > 0 {
		lost = web.StateLine{
			Name: "Failed for good", Value: strings.Join(kinds, ", ") + " since the start", Level: web.Look,
			Do: "The log has a line \"a job failed\" for each, with its cause and the request that asked for it.", Command: logCommand,
		}
	}
	return web.StateGroup{
		Name: "queue", Title: "Background work", Lines: []web.StateLine{
			{Name: "Waiting", Value: fmt.Sprint(waiting)}, {Name: "Being done", Value: fmt.Sprint(running)}, due, lost,
		},
		Do: "What failed is tried again by itself, later and later. To see why:", Command: logCommand,
	}
}

func (a *App) seenStorage(s storageState, now time.Time) web.StateGroup {
	value := "not counted yet; that is done once an hour"
	if !s.At.IsZero() {
		value = fmt.Sprintf("%d, %s, counted %s", s.Files, bytesOf(s.Bytes), ago(now.Sub(s.At)))
	}
	lines := []web.StateLine{{Name: "Files", Value: value}}
	if a.Config.ProjectQuota > 0 {
		lines = append(lines, web.StateLine{Name: "A project may take", Value: a.Config.ProjectQuota.String()})
	}
	return web.StateGroup{
		Name: "storage", Title: "Storage", Lines: lines,
		Do: "Whether all files are there and whole is looked at by", Command: "groundwork doctor --files --verify",
	}
}

func seenBackupState(b web.BackupsSeen, now time.Time) web.StateGroup {
	g := web.StateGroup{
		Name: "backups", Title: "Backups",
		Do: "Try it before you need it, on another machine:", Command: "groundwork restore PLACE --data NEW-FOLDER",
	}
	if !b.Here && b.Made.IsZero() {
		g.Lines = []web.StateLine{{
			Name: "Last backup", Value: "No server makes any.", Level: web.Look,
			Do: "Have the server make them, to a folder on another disk or a bucket; without one a lost disk is the end.", Command: "groundwork serve --backup-to PLACE",
		}}
		return g
	}
	age := func(name string, t time.Time) web.StateLine {
		if t.IsZero() {
			return web.StateLine{Name: name, Value: "none yet"}
		}
		return web.StateLine{Name: name, Value: moment(t) + ", " + ago(now.Sub(t))}
	}
	made, proof := age("Last backup", b.Made), age("Last proof (restored and compared)", b.Checked)
	switch {
	case b.Wrong != "":
		made.Level, made.Value = web.Bad, made.Value+": "+b.Wrong
		made.Do, made.Command = "Make the place reachable and large enough; then have one made at once on the page Backups.", doctorCommand
	case !b.Made.IsZero():
		made.Level = web.Well
	}
	if b.Unchecked != "" {
		proof.Value = "not proven: " + b.Unchecked
		proof.Level, proof.Do, proof.Command = web.Look, "Prove them where the key is.", "groundwork backup verify PLACE"
	} else if !b.Checked.IsZero() {
		proof.Level = web.Well
	}
	g.Lines = []web.StateLine{made, proof}
	if b.Continuous {
		ship := age("Every change is there up to", b.Sent)
		if ship.Level = web.Well; b.ShipWrong != "" {
			ship.Level, ship.Value = web.Bad, ship.Value+": "+b.ShipWrong
			ship.Do, ship.Command = "Look whether the place answers. Nobody waits for it meanwhile.", doctorCommand
		}
		files := web.StateLine{Name: "Files that wait to be sent", Value: b.Waiting()}
		if !b.FilesLooked.IsZero() {
			files.Level = web.Well
		}
		g.Lines = append(g.Lines, ship, files)
	}
	return g
}

func (a *App) seenMailState(all []job.Count) web.StateGroup {
	waiting := int64(0)
	for _, c := range all {
		waiting += mailsOf(c)
	}
	sent, failed := a.posted.sent.Load(), a.posted.failed.Load()+a.posted.refused.Load()
	server := web.StateLine{Name: "Mail server", Value: "is set; nothing was sent since the start"}
	switch {
	case a.posted.failing.Load():
		server.Level, server.Value = web.Bad, "The last letter could not be handed over to it."
		server.Do, server.Command = "A test letter on the page Mail says why. What waits is tried again for four days.", doctorCommand
	case sent > 0:
		server.Level, server.Value = web.Well, "takes letters"
	case !a.Mail.Sends():
		server = web.StateLine{
			Name: "Mail server", Value: "There is none: nobody receives invitations.", Level: web.Look,
			Do: "Name one; until then links are shown to who invites, and mails go to the log.", Command: "groundwork serve --mail-url smtp://USER:PASSWORD@HOST:587 --mail-from ADDRESS",
		}
	}
	queue := web.StateLine{Name: "Waiting", Value: fmt.Sprint(waiting)}
	past := web.StateLine{Name: "Since the start", Value: fmt.Sprintf("%d sent, %d attempts failed", sent, failed)}
	if waiting > mailMany || failed > 0 && sent == 0 {
		past.Level, past.Do, past.Command = web.Look, "The mail server takes no mail from this service, or too slowly. What waits is tried again for four days.", doctorCommand
	}
	return web.StateGroup{
		Name: "mail", Title: "Mail", Lines: []web.StateLine{server, queue, past},
		Do: "The mail server is asked by", Command: doctorCommand,
	}
}

func (a *App) seenCertificate(now time.Time) web.StateGroup {
	if k := a.keeper.Load(); k != nil {
		return seenCertificates(k, now)
	}
	line := web.StateLine{Name: "TLS certificate", Value: "none: this server speaks plain HTTP, to this machine or to a proxy"}
	if ends := a.certificateEnds(); !ends.IsZero() {
		line = web.StateLine{Name: "TLS certificate", Value: "good until " + moment(ends), Level: web.Well}
		if left := ends.Sub(now); left < certSoon {
			line.Level, line.Do, line.Command = web.Look,
				"Renew it. The files are read again when they change; nothing needs to be restarted.", "openssl x509 -noout -dates -in CERTIFICATE"
			if left <= 0 {
				line.Level, line.Value = web.Bad, "ended on "+moment(ends)
			}
		}
	}
	return web.StateGroup{
		Name: "certificate", Title: "Certificate", Lines: []web.StateLine{line},
		Do: "The files that are set are looked at by", Command: doctorCommand,
	}
}

func (a *App) seenVersions(ctx context.Context) (web.StateGroup, error) {
	engine, err := a.Store.EngineVersion(ctx)
	return web.StateGroup{
		Name: "versions", Title: "Versions", Lines: []web.StateLine{
			{Name: "Groundwork", Value: a.Config.Version},
			{Name: "Schema", Value: fmt.Sprint(a.Store.Schema())},
			{Name: "Database", Value: a.Store.Engine() + " " + engine},
			{Name: "Built with", Value: runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH},
		},
		Do: "CHANGELOG.md says what is new. The program on the disk may be another one than runs:", Command: "groundwork version",
	}, err
}

// moment is a time, for people.
func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// ago is how long something is past, for people.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// bytesOf is a number of bytes, for people.
func bytesOf(n int64) string {
	for _, u := range units {
		if n >= int64(u.bytes) && u.bytes > 1 {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.bytes), u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}

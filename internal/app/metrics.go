package app

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"groundwork/internal/blob"
	"groundwork/internal/health"
	"groundwork/internal/job"
	"groundwork/internal/letter"
	"groundwork/internal/mail"
	"groundwork/internal/system"
)

// The metrics that are read together when somebody asks. docs/operating.md lists all, and a test holds that list
// against what is shown. None has a label with more values than there are kinds of something.
var (
	infoMetric = describe("groundwork_info", "Always 1; the labels name the release and the database.", "version", "engine")

	readyMetric   = describe("groundwork_ready", "1 while requests can be served, as /readyz says.")
	troubleMetric = describe("groundwork_trouble", "1 while a part that the service depends on does not work.", "part")

	jobsWaiting = describe("groundwork_jobs_waiting", "Background work that waits, of all processes.", "kind")
	jobsRunning = describe("groundwork_jobs_running", "Background work that is being done, by all processes.", "kind")
	jobsDue     = describe("groundwork_jobs_due_seconds", "For how long that job has been due that waits longest.", "kind")
	jobsEnded   = describe("groundwork_jobs_ended_total",
		"Attempts of this process that ended: done, failed for good, or repeated later.", "kind", "result")
	jobsSpent = describe("groundwork_jobs_run_seconds_total", "Time that attempts of this process took.", "kind")

	commitGroups  = describe("groundwork_commits_total", "Groups of writes that were committed or refused together.")
	commitWrites  = describe("groundwork_commit_writes_total", "Writes in these groups.")
	commitWaited  = describe("groundwork_commit_wait_seconds_total", "Time that writes waited for their group.")
	commitTook    = describe("groundwork_commit_seconds_total", "Time that the groups took.")
	commitWaiting = describe("groundwork_commit_waiting", "Writes that wait for their group now.")

	workersBusy    = describe("groundwork_workers_busy", "Tasks that drawing workers do now.")
	workersStarted = describe("groundwork_workers_started_total", "Drawing workers that were started.")
	workersEnded   = describe("groundwork_workers_ended_total",
		"Drawing workers that ended during a task: killed, as they were slow, took too much memory or too many threads or had no walls, or died.", "why")
	workerTasks = describe("groundwork_worker_tasks_total", "Tasks of drawing workers that ended.", "task")
	workerSpent = describe("groundwork_worker_seconds_total", "Time that these tasks took.", "task")

	filesMetric  = describe("groundwork_files", "Files that are kept, as they were last counted.")
	filesBytes   = describe("groundwork_files_bytes", "What these files take, in bytes.")
	filesCounted = describe("groundwork_files_counted_seconds", "When they were counted, in seconds since 1970; once an hour.")
	diskFree     = describe("groundwork_disk_free_bytes", "Room that is left on the disk of the data folder, or of the files.", "of")
	diskSize     = describe("groundwork_disk_size_bytes", "How large that disk is.", "of")

	mailWaiting = describe("groundwork_mail_waiting", "Mails that wait to be sent, of all processes.")
	mailSent    = describe("groundwork_mail_total",
		"Attempts of this process to send a mail: sent, refused for good, failed and repeated later, or written to the log for want of a mail server.", "result")

	backupEvery  = describe("groundwork_backup_every_seconds", "How often this server makes a backup; 0 where it makes none.")
	backupProves = describe("groundwork_backup_proves", "1 where this server restores its backups and compares them: it makes some, and can read them.")

	certificateEnds = describe("groundwork_certificate_expires_seconds",
		"When the TLS certificate of this server ends, in seconds since 1970; 0 where it has none.")
	certificateFails = describe("groundwork_certificates_failing",
		"Domains of --tls-domain without a good certificate, or whose certificate could not be renewed.")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// watched gives the metrics of an installation to whoever asks.
type watched struct{ app *App }

// Describe lists them.
func (watched) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		infoMetric, readyMetric, troubleMetric, jobsWaiting, jobsRunning, jobsDue, jobsEnded, jobsSpent, commitGroups,
		commitWrites, commitWaited, commitTook, commitWaiting, workersBusy, workersStarted, workersEnded, workerTasks,
		workerSpent, filesMetric, filesBytes, filesCounted, diskFree, diskSize, mailWaiting, mailSent, backupEvery,
		backupProves, certificateEnds, certificateFails,
	} {
		to <- d
	}
}

// Collect reads them. What cannot be read now is left out.
func (w watched) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), watchWithin)
	defer cancel()
	m := measures(to)
	m.gauge(infoMetric, 1, w.app.Config.Version, w.app.Store.Engine())
	m.gauge(readyMetric, truth(w.app.ready(ctx) == nil))
	for _, part := range health.Parts {
		m.gauge(troubleMetric, truth(w.app.Health.Troubled(part)), string(part))
	}
	w.jobs(ctx, m)
	c := w.app.Store.Counts()
	m.counter(commitGroups, float64(c.Groups))
	m.counter(commitWrites, float64(c.Writes))
	m.counter(commitWaited, c.Waited.Seconds())
	m.counter(commitTook, c.Took.Seconds())
	m.gauge(commitWaiting, float64(c.Waiting))
	w.workers(m)
	w.files(ctx, m)
	w.app.posted.each(func(result string, n int64) { m.counter(mailSent, float64(n), result) })
	every := 0.0
	if w.app.Config.Backups.To != "" {
		every = w.app.Config.Backups.Every.Seconds()
	}
	m.gauge(backupEvery, every)
	m.gauge(backupProves, truth(every > 0 && w.app.Config.Backups.Secret.Recipient == ""))
	m.gauge(certificateEnds, seconds(w.app.certificateEnds()))
	m.gauge(certificateFails, float64(w.app.certificatesFailing()))
}

func (w watched) jobs(ctx context.Context, m measures) {
	all, err := w.app.Jobs.Counts(ctx)
	if err != nil {
		return
	}
	mails := int64(0)
	for _, c := range all {
		m.gauge(jobsWaiting, float64(c.Waiting), c.Kind)
		m.gauge(jobsRunning, float64(c.Running), c.Kind)
		m.gauge(jobsDue, c.Due.Seconds(), c.Kind)
		m.counter(jobsEnded, float64(c.Done), c.Kind, "done")
		m.counter(jobsEnded, float64(c.Failed), c.Kind, "failed")
		m.counter(jobsEnded, float64(c.Repeated), c.Kind, "repeated")
		m.counter(jobsSpent, c.Spent.Seconds(), c.Kind)
		mails += mailsOf(c)
	}
	m.gauge(mailWaiting, float64(mails))
}

// mailsOf is how many mails wait among the jobs of a kind.
func mailsOf(c job.Count) int64 {
	if c.Kind == mail.Kind || c.Kind == letter.Kind {
		return c.Waiting
	}
	return 0
}

func (w watched) workers(m measures) {
	c := w.app.Drawing.Counts()
	m.gauge(workersBusy, float64(c.Busy))
	m.counter(workersStarted, float64(c.Started))
	for why, n := range c.Ended {
		m.counter(workersEnded, float64(n), why)
	}
	for task, n := range c.Done {
		m.counter(workerTasks, float64(n), task)
		m.counter(workerSpent, c.Spent[task].Seconds(), task)
	}
}

func (w watched) files(ctx context.Context, m measures) {
	if s, err := w.app.storage(ctx); err == nil {
		m.gauge(filesMetric, float64(s.Files))
		m.gauge(filesBytes, float64(s.Bytes))
		m.gauge(filesCounted, seconds(s.At))
	}
	for _, d := range w.app.disks() {
		if room, err := system.RoomAt(d.folder); err == nil {
			m.gauge(diskFree, float64(room.Free), d.of)
			m.gauge(diskSize, float64(room.Size), d.of)
		}
	}
}

// disk is a folder that grows, and what of.
type disk struct{ of, folder string }

func (a *App) disks() []disk {
	disks := []disk{{"data", a.Config.Data}}
	if folder := blob.Folder(string(a.Config.BlobURL)); folder != "" {
		disks = append(disks, disk{"files", folder})
	}
	return disks
}

// measures is where metrics are sent.
type measures chan<- prometheus.Metric

func (m measures) gauge(d *prometheus.Desc, value float64, labels ...string) {
	m <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func (m measures) counter(d *prometheus.Desc, value float64, labels ...string) {
	m <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// posted counts what became of mails.
type posted struct {
	sent, refused, failed, logged atomic.Int64
	// failing says that the mail server could not be had the last time; an address that it refuses is no fault of it.
	failing atomic.Bool
}

// note counts an attempt to send one.
func (p *posted) note(err error, sends bool) {
	switch {
	case errors.As(err, new(mail.Refused)):
		p.refused.Add(1)
	case err != nil:
		p.failed.Add(1)
		p.failing.Store(true)
	case sends:
		p.sent.Add(1)
		p.failing.Store(false)
	default:
		p.logged.Add(1)
	}
}

func (p *posted) each(tell func(result string, n int64)) {
	tell("sent", p.sent.Load())
	tell("refused", p.refused.Load())
	tell("failed", p.failed.Load())
	tell("logged", p.logged.Load())
}

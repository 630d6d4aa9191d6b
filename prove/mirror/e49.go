package mirror

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// E49 follows a project along, with kill -9 wherever the follower writes.
var E49 = &lab.Experiment{
	ID:       "E49",
	Title:    "A project with files is followed along while it changes; the follower is killed with kill -9 again and again, within milliseconds of writing to its copy",
	MustHold: "the copy has every record once, then every entry of the change log once and in its order, and every file whole",
	Control:  "what was written after the last position is not cut off",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		wrong, err := followKilled(t, lab.Released)
		for _, text := range wrong {
			t.Require(false, "%s", text)
		}
		return err
	},
	RunControl: func(t *lab.Trial) (string, error) {
		wrong, err := followKilled(t, lab.Planted, "GROUNDWORK_PLANT=journal-not-cut")
		if err != nil || len(wrong) == 0 {
			return "", err
		}
		return fmt.Sprintf("%d faults: %s", len(wrong), wrong[0]), nil
	},
}

// following is a copy that is killed.
type following struct {
	*moving
	folder string
	args   []string
	kills  int
	inside int // kills between the lines and the position
}

// followKilled follows a project with kills, first while it stands still and then while it changes, and gives what is
// wrong with the copy.
func followKilled(t *lab.Trial, tag string, env ...string) (wrong []string, err error) {
	m, err := newMoving(t, tag, env...)
	if err != nil {
		return nil, err
	}
	defer m.close()
	if err := m.fill(t.ShortOrFull(500, 5_000), t.ShortOrFull(10, 200)); err != nil {
		return nil, err
	}
	uid := strings.TrimPrefix(m.project, "/projects/")
	f := &following{moving: m, folder: filepath.Join(t.Path("copy"), uid), args: []string{
		"follow", "http://" + m.front.Addr().String(), "--key", m.source.Key, "--project", uid, "--out", t.Path("copy"),
	}}
	kills := t.ShortOrFull(4, 25)
	if err := f.kill(kills); err != nil {
		return nil, err
	}
	said, ended, err := f.finish()
	if err != nil || !ended {
		return []string{"following did not end well: " + said}, err
	}
	walked, err := f.lines()
	if err != nil {
		return []string{err.Error()}, nil //nolint:nilerr // the copy is what is tried
	}
	before, err := f.log(0)
	if err != nil {
		return nil, err
	}
	stop := make(chan struct{})
	var changing sync.WaitGroup
	var failed error
	changing.Go(func() { failed = m.churn(stop) })
	err = f.kill(2 * kills)
	close(stop)
	changing.Wait()
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	if said, ended, err = f.finish(); err != nil || !ended {
		return []string{"following did not end well: " + said}, err
	}
	after, err := f.log(before[len(before)-1].Sequence)
	if err != nil {
		return nil, err
	}
	wrong, err = f.check(len(walked), after)
	t.Note("kills, before the position was written", "%d, %d", f.kills, f.inside)
	t.Note("records walked, changes followed", "%s, %s", lab.Thousands(len(walked)), lab.Thousands(len(after)))
	t.Note("missing, twice, out of order, torn", "%d", len(wrong))
	return wrong, err
}

func (f *following) finish() (said string, ended bool, err error) {
	return f.target.CommandUntil(0, append(f.args, "--once")...)
}

// size is how long the copy is; 0 where there is none yet.
func (f *following) size() int64 {
	info, err := os.Stat(filepath.Join(f.folder, "changes.jsonl"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// kill runs the follower again and again, and kills it when it has just written.
func (f *following) kill(times int) error {
	const longest = 5 * time.Second // where there is nothing to write
	for range times {
		was, delay := f.size(), time.Duration(f.dice.IntN(4000))*time.Microsecond
		now, done, told := make(chan time.Time, 1), make(chan struct{}), false
		var watching sync.WaitGroup
		watching.Go(func() {
			for end := time.Now().Add(longest); f.size() == was && time.Now().Before(end); {
				select {
				case <-done:
					return
				case <-time.After(100 * time.Microsecond):
				}
			}
			time.Sleep(delay)
			now <- time.Now()
			told = true
		})
		said, ended, err := f.target.CommandKilled(now, f.args...)
		close(done)
		watching.Wait()
		if err != nil {
			return err
		}
		// Whoever was killed has taken the word for it.
		if ended || !told || len(now) > 0 || strings.Contains(said, "damaged") || strings.Contains(said, "shorter") {
			return fmt.Errorf("following ended by itself: %s", said)
		}
		f.kills++
		var position struct {
			Length int64 `json:"length"`
		}
		text, err := os.ReadFile(filepath.Join(f.folder, "changes.state"))
		if err == nil {
			err = json.Unmarshal(text, &position)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if f.size() != position.Length {
			f.inside++
		}
	}
	return nil
}

// followed is a line of the copy.
type followed struct {
	change
	Files []struct {
		Path   *string `json:"path"`
		SHA256 string  `json:"sha256"`
	} `json:"files"`
}

// lines reads the copy; an error where it is none.
func (f *following) lines() (all []followed, err error) {
	text, err := os.ReadFile(filepath.Join(f.folder, "changes.jsonl"))
	if err != nil {
		return nil, err
	}
	for i, one := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		var l followed
		if err := json.Unmarshal(one, &l); err != nil {
			return nil, fmt.Errorf("line %d of the copy is none: %w", i+1, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// log reads the change log of the source after a number.
func (f *following) log(after int64) (all []change, err error) {
	for {
		var page struct {
			Data []change `json:"data"`
			Next int64    `json:"next_after"`
		}
		target := f.project + "/changes?include=records&limit=200&after=" + strconv.FormatInt(after, 10)
		if err := f.ada.MustDo(f.t, http.MethodGet, target, nil, &page); err != nil {
			return nil, err
		}
		if len(page.Data) == 0 {
			return all, nil
		}
		all, after = append(all, page.Data...), page.Next
	}
}

// check gives what is wrong with a copy that first walked so many lines, and then followed a log.
func (f *following) check(walked int, log []change) (wrong []string, err error) {
	all, err := f.lines()
	if err != nil {
		return []string{err.Error()}, nil //nolint:nilerr // the copy is what is tried
	}
	seen := map[string]bool{}
	for _, l := range all[:walked] {
		name := l.Kind + "/" + l.UID
		if seen[name] || l.Operation != "latest" {
			wrong = append(wrong, fmt.Sprintf("%s comes twice at first, as %s", name, l.Operation))
		}
		seen[name] = true
	}
	for kind, path := range map[string]string{"issues": "/issues", "attachments": "/attachments"} {
		records, _, err := f.ada.ListAll(f.t, f.project+path)
		if err != nil {
			return nil, err
		}
		have := map[string]bool{}
		for _, l := range all {
			have[l.Kind+"/"+l.UID] = true
		}
		for _, r := range records {
			if name := kind + "/" + uidOf(r); !have[name] {
				wrong = append(wrong, name+" is missing")
			}
		}
	}
	changes := all[walked:]
	for i := range max(len(changes), len(log)) {
		x, y := "nothing", "nothing"
		if i < len(changes) {
			c := changes[i]
			x = fmt.Sprint(c.Sequence, c.Operation, c.Kind, c.UID)
		}
		if i < len(log) {
			y = fmt.Sprint(log[i].Sequence, log[i].Operation, log[i].Kind, log[i].UID)
		}
		if x != y {
			wrong = append(wrong, fmt.Sprintf("change %d is in the log %s and in the copy %s", i+1, y, x))
			break // all that follow differ too
		}
	}
	files := 0
	for _, l := range all {
		for _, one := range l.Files {
			content := []byte(nil)
			if one.Path != nil {
				content, err = os.ReadFile(filepath.Join(f.folder, *one.Path))
			}
			if files++; err != nil || lab.Digest(content) != one.SHA256 {
				wrong = append(wrong, fmt.Sprintf("a file of %s/%s is not whole", l.Kind, l.UID))
			}
		}
	}
	f.t.Require(files > 0, "the copy has no files")
	return wrong, nil
}

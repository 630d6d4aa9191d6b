package follow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"groundwork/internal/client"
	"groundwork/internal/journal"
)

// Options say what a copy has.
type Options struct {
	// Once ends when everything that is there was read.
	Once bool
	// WithoutFiles leaves files where they are.
	WithoutFiles bool
	// MostFile is how many bytes a file may have.
	MostFile int64
	// Notice is told what people should know.
	Notice func(text string)
}

// line is a line of the copy: an entry, and where its files are.
type line struct {
	Entry
	Files []file `json:"files"`
}

// file is a file of a record. Why says why it is not there.
type file struct {
	Field  string  `json:"field"`
	Path   *string `json:"path"`
	Bytes  int64   `json:"bytes"`
	SHA256 string  `json:"sha256"`
	Why    *string `json:"why"`
}

const (
	rest    = 5 * time.Second  // between two looks, where the server does not wait
	trouble = 30 * time.Second // before a server that failed is asked again
)

// Run writes the changes of a project into a folder, from where an earlier run stopped: the lines of changes.jsonl, and
// the files that records show. Each change is there once, whatever was killed. It ends when the context does, when the
// server refuses the key, or once everything was read where that was asked for.
func Run(ctx context.Context, c *client.Client, project, folder string, o Options) error {
	if !IsUID(project) {
		return errors.New("A project is named by its uid.")
	}
	var at Position
	j, err := journal.Open(folder, "changes", &at)
	if err != nil {
		return err
	}
	f := &follower{Options: o, source: &Source{Client: c, Project: project, Wait: !o.Once}, folder: folder, journal: j}
	for err = nil; err == nil; {
		var more bool
		began := time.Now()
		at, more, err = f.step(ctx, at)
		var refused *client.Refusal
		switch {
		case ctx.Err() != nil:
			return errors.Join(ctx.Err(), j.Close())
		case err == nil && !more && o.Once:
			return j.Close()
		case err == nil && !more && time.Since(began) < rest:
			err = sleep(ctx, rest-time.Since(began))
		case err != nil && !o.Once && !errors.As(err, &refused) && !errors.Is(err, ErrNoLog) && !onDisk(err):
			o.Notice(fmt.Sprintf("%v It is asked again in %s.", err, trouble))
			err = sleep(ctx, trouble)
		}
	}
	if errors.Is(err, ErrNoLog) {
		err = errors.New("The server has no change log with records, which following needs. Copy the project with groundwork mirror instead.")
	}
	return errors.Join(err, j.Close())
}

// onDisk tells whether the trouble is here: waiting does not help.
func onDisk(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

type follower struct {
	Options
	source  *Source
	folder  string
	journal *journal.Journal
}

// step writes the next page, and how far it goes.
func (f *follower) step(ctx context.Context, at Position) (Position, bool, error) {
	entries, next, more, err := f.source.Next(ctx, at)
	if err != nil {
		return at, false, err
	}
	// Files come before the lines that name them.
	lines := make([]line, len(entries))
	for i, e := range entries {
		lines[i] = line{Entry: e, Files: []file{}}
		if e.Operation == BeginAgain {
			f.Notice("The server was restored from a backup: all records are read again.")
		}
		if f.WithoutFiles || e.Record == nil {
			continue
		}
		if lines[i].Files, err = f.files(ctx, e); err != nil {
			return at, false, err
		}
	}
	for _, l := range lines {
		text, err := json.Marshal(l)
		if err != nil {
			return at, false, err
		}
		if _, err := f.journal.Append(text); err != nil {
			return at, false, err
		}
	}
	if len(lines) == 0 && next == at {
		return next, more, nil
	}
	return next, more, f.journal.Commit(next)
}

// links are the fields that show the files which people brought; pictures that are made of them are not copied.
var links = []string{"url", "file_url"}

// files fetches the files of a record that are not there yet. What is there under its name is whole.
func (f *follower) files(ctx context.Context, e Entry) ([]file, error) {
	var r map[string]json.RawMessage
	if err := json.Unmarshal(e.Record, &r); err != nil {
		return nil, errors.New("The server's change log has a record that is none.")
	}
	all := []file{}
	for _, field := range links {
		var link, sum string
		var size int64 = -1
		if json.Unmarshal(r[field], &link) != nil || link == "" {
			continue
		}
		_ = json.Unmarshal(r["sha256"], &sum) // records of other servers have none
		_ = json.Unmarshal(r["size"], &size)
		one, err := f.file(ctx, e, field, link, sum, size)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (f *follower) file(ctx context.Context, e Entry, field, link, sum string, size int64) (file, error) {
	path := filepath.Join("files", e.Kind, e.UID+"."+field)
	whole := filepath.Join(f.folder, path)
	one := file{Field: field, Path: &path, Bytes: size, SHA256: sum}
	if info, err := os.Stat(whole); err == nil && (size < 0 || info.Size() == size) {
		one.Bytes = info.Size()
		return one, nil
	}
	if err := os.MkdirAll(filepath.Dir(whole), 0o700); err != nil {
		return one, err
	}
	got, err := f.source.Client.Fetch(ctx, link, whole, f.MostFile)
	why := ""
	switch {
	case ctx.Err() != nil:
		return one, ctx.Err()
	case err != nil && onDisk(err):
		return one, err
	case err != nil:
		why = err.Error()
	case sum != "" && got.SHA256 != sum:
		why = "it has other bytes than its record says"
		err = os.Remove(whole)
	}
	if why != "" {
		f.Notice(fmt.Sprintf("The file of %s/%s is not copied: %s.", e.Kind, e.UID, why))
		return file{Field: field, Why: &why}, nil
	}
	one.Bytes, one.SHA256 = got.Bytes, got.SHA256
	return one, err
}

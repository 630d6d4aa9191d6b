package app

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/store"
)

const (
	storageNote = "storage" // what all files took when they were last counted
	// mostStored is how many projects are named that take most.
	mostStored = 20
)

// storageState is what all files took at a moment: counting reads a row for each of them, so that it is done once an
// hour, by one process.
type storageState struct {
	At       time.Time `json:"at"`
	Files    int64     `json:"files"`
	Bytes    int64     `json:"bytes"`
	Projects []stored  `json:"projects"` // those that take most, the largest first
}

type stored struct {
	UID   string `json:"uid"`
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
}

// countFiles counts the files of all projects.
func (a *App) countFiles(ctx context.Context) error {
	s := storageState{At: time.UnixMicro(a.Store.Now()).UTC()}
	err := a.Store.Projects(ctx, func(p *store.Project) error {
		files, bytes, err := a.Files.Usage(ctx, a.Store, p)
		if err != nil || files == 0 {
			return err
		}
		s.Files += files
		s.Bytes += bytes
		s.Projects = append(s.Projects, stored{p.UID, files, bytes})
		slices.SortFunc(s.Projects, func(a, b stored) int { return int(min(max(b.Bytes-a.Bytes, -1), 1)) })
		s.Projects = s.Projects[:min(len(s.Projects), mostStored)]
		return nil
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return a.Store.SetNote(ctx, storageNote, string(text))
}

// storage is what was last counted; zero before.
func (a *App) storage(ctx context.Context) (s storageState, err error) {
	text, err := a.Store.Note(ctx, storageNote)
	if err != nil || text == "" {
		return s, err
	}
	return s, json.Unmarshal([]byte(text), &s)
}

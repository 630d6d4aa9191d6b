package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"groundwork/internal/foreign"
	"groundwork/internal/sheet/intake"
	"groundwork/internal/upload"
)

// mostOfSet is how many files a set of drawings has at most.
const mostOfSet = 1000

// drawings sends the PDFs that the project does not have as sets of drawings.
func (b *folderBringing) drawings(ctx context.Context, where string) error {
	have := map[string]bool{}
	if b.Exists {
		var err error
		kinds := Catalog()
		have, err = upload.Hashes(ctx, b.Store, b.Scope.Project(), kinds.Number("version_sets"), kinds.Number("sheets"))
		if err != nil {
			return err
		}
	}
	var fresh []foreign.File
	for _, f := range b.folder.PDFs {
		if have[f.SHA256] {
			b.report.PDFsHere++
			b.step(1)
			continue
		}
		have[f.SHA256] = true
		fresh = append(fresh, f)
	}
	if b.report.PDFs = len(fresh); b.Dry {
		return nil
	}
	name := b.Version
	if name == "" {
		name = filepath.Base(where)
	}
	for part := 1; len(fresh) > 0; part++ {
		some := fresh[:min(len(fresh), mostOfSet)]
		fresh = fresh[len(some):]
		set := intake.Sending{Version: name, Publish: b.Publish}
		if part > 1 || len(fresh) > 0 {
			set.Version = fmt.Sprintf("%s, part %d", name, part)
		}
		for _, f := range some {
			set.Files = append(set.Files, intake.Source{
				Name: f.Name(), Open: func() (io.ReadCloser, error) { return b.folder.Open(f.Path) },
			})
		}
		if err := b.set(ctx, set); err != nil {
			return err
		}
		b.step(len(some))
	}
	return nil
}

// set sends one set and says what was read in it.
func (b *folderBringing) set(ctx context.Context, set intake.Sending) error {
	uid, done, err := b.sendSheets(ctx, b.Scope, set, func(intake.Processing) {})
	if err != nil {
		return err
	}
	r := b.report
	r.Sets = append(r.Sets, uid)
	if done.Status == intake.Errored && done.Error != nil {
		r.Notes = append(r.Notes, *done.Error)
	}
	read := 0
	for _, f := range done.Files {
		if f.Error != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %s", *f.FileName, *f.Error))
		}
		for _, p := range f.Pages {
			if p.Name != nil {
				read++
			}
		}
	}
	waiting := int(done.PagesWaiting)
	if !done.Published {
		waiting = read
	}
	r.Sheets, r.SheetsWaiting = r.Sheets+read-waiting, r.SheetsWaiting+waiting
	return nil
}

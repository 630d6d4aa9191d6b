package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"groundwork/internal/fault"
	"groundwork/internal/foreign"
	"groundwork/internal/sheet/intake"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// mostOfSet is how many files a set of drawings has at most.
const mostOfSet = 1000

// drawings sends the PDFs that the project does not have as sets of drawings. Those of a set in which nothing could be
// read are sent again; a set that came before and was not read is read now.
func (b *folderBringing) drawings(ctx context.Context, where string, pdfs []foreign.File) (err error) {
	have := map[string]bool{}
	var waiting []string
	if b.Exists {
		var failed map[store.ID]bool
		kinds := Catalog()
		if waiting, failed, err = intake.Unread(ctx, b.Store, b.Scope.Project()); err != nil {
			return err
		}
		have, err = upload.Hashes(ctx, b.Store, b.Scope.Project(), failed, kinds.Number("version_sets"),
			kinds.Number("sheets"))
		if err != nil {
			return err
		}
	}
	fresh := b.fresh(pdfs, have)
	for _, uid := range waiting {
		b.report.Notes = append(b.report.Notes, fmt.Sprintf("The version set %s came before, and was not read yet.", uid))
	}
	if b.served.Load() != nil {
		waiting = nil // the server reads them
	}
	if b.report.PDFs = len(fresh); b.Dry || len(fresh)+len(waiting) == 0 {
		return nil
	}
	end := b.readHere(ctx)
	defer func() { err = errors.Join(err, end()) }()
	for _, uid := range waiting {
		if err := b.await(ctx, uid); err != nil {
			return err
		}
	}
	return b.send(ctx, where, fresh)
}

// fresh gives the PDFs that are not here, each content once.
func (b *folderBringing) fresh(pdfs []foreign.File, have map[string]bool) (fresh []foreign.File) {
	first := map[string]string{}
	for _, f := range pdfs {
		switch same := first[f.SHA256]; {
		case have[f.SHA256]:
			b.report.PDFsHere++
		case same != "":
			b.report.Notes = append(b.report.Notes, fmt.Sprintf("%s was left out: it is the same as %s.",
				foreign.Shown(f.Path), foreign.Shown(same)))
		default:
			first[f.SHA256] = f.Path
			fresh = append(fresh, f)
			continue
		}
		b.step(1)
	}
	return fresh
}

// send sends PDFs as sets and waits until they were read.
func (b *folderBringing) send(ctx context.Context, where string, fresh []foreign.File) error {
	name := b.Version
	if name == "" {
		name = filepath.Base(where)
	}
	most := cmp.Or(b.ofSet, mostOfSet)
	for part := 1; len(fresh) > 0; part++ {
		some := fresh[:min(len(fresh), most)]
		fresh = fresh[len(some):]
		set := intake.Sending{Version: name, Publish: b.Publish, Refused: func(i int, err error) {
			b.report.PDFs--
			b.refuse(some[i].Path, fault.Of(err).Error())
		}}
		if part > 1 || len(fresh) > 0 {
			set.Version = fmt.Sprintf("%s, part %d", name, part)
		}
		for _, f := range some {
			set.Files = append(set.Files, intake.Source{
				Name: f.Name(), SHA256: f.SHA256,
				Open: func() (io.ReadCloser, error) { return b.folder.Open(f.Path) },
			})
		}
		uid, err := intake.Send(ctx, b.Store, b.Jobs, b.Files, b.Scope, set)
		if err != nil {
			return err
		}
		if uid != "" {
			if err := b.await(ctx, uid); err != nil {
				return err
			}
		}
		b.step(len(some))
	}
	return nil
}

// await waits until a set was read, and says what was read in it.
func (b *folderBringing) await(ctx context.Context, uid string) error {
	done, err := b.awaitSheets(ctx, b.Scope, uid, func(intake.Processing) {})
	if err != nil {
		return err
	}
	r := b.report
	r.Sets = append(r.Sets, uid)
	if done.Status == intake.Errored && done.Error != nil {
		r.Notes = append(r.Notes, *done.Error)
		r.Refused += len(done.Files)
	}
	read := 0
	for _, f := range done.Files {
		if f.Error != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %s", *f.FileName, *f.Error))
			if done.Status != intake.Errored || done.Error == nil {
				r.Refused++
			}
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

package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/foreign"
	"groundwork/internal/identity"
)

// Files is where files of another service go: an account that is, or becomes, Admin of a project that is here, or that
// is made under a name.
type Files struct {
	Path, Email, Project, New string
}

// target is a project and whose rights are used in it.
type target struct {
	foreign.Target
	account *identity.Account
	// made says that the project was made now, or would be.
	made bool
}

// target finds the project that files go into, or makes it.
func (a *App) target(ctx context.Context, in Files, dry bool) (t target, err error) {
	if t.account, err = a.able(ctx, in.Email); err != nil {
		return t, err
	}
	t.Project = in.Project
	if in.Project == "" {
		// The same name of the same account is the same project, so that an import which was cut short is repeated.
		t.Project = foreign.UID("project", t.account.UID, strings.TrimSpace(in.New))
		if gone, err := a.goneProject(ctx, t.Project); gone != "" || err != nil {
			if err == nil {
				err = fault.New(fault.Conflict,
					"A project of this name and account was erased %s, and stays erased. Choose another name.", gone)
			}
			return t, err
		}
		here, err := a.Store.Exists(ctx, t.Project)
		if err != nil {
			return t, err
		}
		if t.made = !here; t.made {
			if err := a.found(ctx, t.account, t.Project, strings.TrimSpace(in.New), dry); err != nil {
				return t, err
			}
		}
		if t.made && dry {
			t.Team = []foreign.Member{member(t.account, true)}
			return t, nil
		}
	}
	if t.Scope, err = a.Auth.Enter(ctx, t.account, t.Project); err != nil {
		return t, err
	}
	if t.Scope.Role() != auth.Admin {
		return t, fault.New(fault.Forbidden, "Files are imported by Admins; %s is %s of this project.",
			t.account.Email, t.Scope.Role())
	}
	t.Exists = true
	return t, a.describe(ctx, &t)
}

// found makes a project, as the noun does that has them, or says in a dry run whether it would.
func (a *App) found(ctx context.Context, account *identity.Account, uid, name string, dry bool) error {
	for _, f := range families() {
		if f.Founds != nil {
			return f.Founds(ctx, a.site(), account, uid, name, dry)
		}
	}
	return errors.New("Nothing here makes projects.")
}

// taking finds how a record of a kind is made of a file.
func taking(plural string) family.Take {
	for _, f := range families() {
		if take := f.Takes[plural]; take != nil {
			return take
		}
	}
	return func(context.Context, *family.Site, auth.Scope, family.Sending) (bool, error) {
		return false, fmt.Errorf("Nothing here makes %s of files.", plural)
	}
}

// member is somebody as files find them: by their name where the project sees it.
func member(a *identity.Account, seen bool) foreign.Member {
	m := foreign.Member{UID: a.UID, Email: a.Email}
	if seen && a.FirstName != nil {
		m.First = *a.FirstName
	}
	if seen && a.LastName != nil {
		m.Last = *a.LastName
	}
	return m
}

// describe finds the team of a project and its time zone.
func (a *App) describe(ctx context.Context, t *target) error {
	team, err := a.Auth.Team(ctx, t.Scope.Project())
	if err != nil {
		return err
	}
	for n := uint32(1); team.Person(n) != nil; n++ {
		if p := team.Person(n); !p.Removed && !p.Erased {
			t.Team = append(t.Team, member(&p.Account, p.Here))
		}
	}
	row, err := Catalog().Get(ctx, a.Store, t.Scope, "projects", t.Project)
	if err != nil {
		return err
	}
	var v struct {
		TimeZone *string `json:"time_zone"`
	}
	if err := json.Unmarshal(row.Doc, &v); err != nil {
		return err
	}
	if v.TimeZone != nil {
		t.Zone, err = time.LoadLocation(*v.TimeZone)
	}
	return err
}

// ImportTable brings the rows of another service's file into a project, which may be made for it.
func (a *App) ImportTable(ctx context.Context, in Files, o foreign.Options) (uid string, made bool, r foreign.Report,
	err error,
) {
	source, err := foreign.Open(in.Path, o)
	if err != nil {
		return "", false, r, err
	}
	t, err := a.target(ctx, in, o.Dry)
	if err != nil {
		return t.Project, t.made, r, err
	}
	site := foreign.Site{Store: a.Store, Auth: a.Auth, Jobs: a.Jobs, Kinds: Catalog()}
	r, err = source.Bring(ctx, site, t.Target)
	return t.Project, t.made, r, err
}

// FolderOptions say what becomes of the files of a folder.
type FolderOptions struct {
	// Documents makes documents of PDFs instead of drawings.
	Documents bool
	// Version is what the set of drawings is called; the name of the folder when blank.
	Version string
	Publish bool
	Dry     bool
	// Progress is told how far it is, in percent.
	Progress func(percent int)

	ofSet int // how many files a set of drawings has at most; 0 is mostOfSet
}

// FolderReport is what came, or would come, of a folder.
type FolderReport struct {
	Sheets, SheetsWaiting, PDFs, PDFsHere int
	Documents, DocumentsHere              int
	Photos, PhotosHere                    int
	Sets                                  []string
	Notes                                 []string
	// Refused is how many files did not come that should have.
	Refused int
}

// ImportFolder brings the PDFs and pictures of a folder into a project, which may be made for it. What came before is
// known by its path and content, drawings by their content, and is not brought again.
func (a *App) ImportFolder(ctx context.Context, in Files, o FolderOptions) (uid string, made bool, r FolderReport,
	err error,
) {
	// All files are read to know them again: whoever may not import them is told before.
	if _, err := a.target(ctx, in, true); err != nil {
		return "", false, r, err
	}
	f, err := foreign.OpenFolder(ctx, in.Path)
	if err != nil {
		return "", false, r, err
	}
	defer f.Close()
	r.Notes, r.Refused = f.Notes, f.Unread
	t, err := a.target(ctx, in, o.Dry)
	if err != nil {
		return t.Project, t.made, r, err
	}
	b := &folderBringing{App: a, target: t, FolderOptions: o, folder: f, report: &r, all: len(f.Photos) + len(f.PDFs)}
	pdfs, photos := b.fitting(f.PDFs), b.fitting(f.Photos)
	if o.Documents {
		err = b.each(ctx, pdfs, "attachments", &r.Documents, &r.DocumentsHere)
	} else {
		err = b.drawings(ctx, in.Path, pdfs)
	}
	if err == nil {
		err = b.each(ctx, photos, "photos", &r.Photos, &r.PhotosHere)
	}
	return t.Project, t.made, r, err
}

// folderBringing is a folder on its way into a project.
type folderBringing struct {
	*App
	target
	FolderOptions
	folder    *foreign.Folder
	report    *FolderReport
	all, done int
}

func (b *folderBringing) step(n int) {
	if b.done += n; b.Progress != nil {
		b.Progress(100 * b.done / max(b.all, 1))
	}
}

// fitting leaves out the files that are larger than one may be, and says which.
func (b *folderBringing) fitting(files []foreign.File) (all []foreign.File) {
	for _, f := range files {
		if f.Size <= b.Files.Most {
			all = append(all, f)
			continue
		}
		b.refuse(f.Path, fmt.Sprintf("it has %d bytes, and a file may have at most %d.", f.Size, b.Files.Most))
		b.step(1)
	}
	return all
}

// refuse says of a file why it did not come.
func (b *folderBringing) refuse(name, why string) {
	b.report.Refused++
	b.report.Notes = append(b.report.Notes, fmt.Sprintf("%s did not come: %s", foreign.Shown(name), why))
}

// refusedFile says of a file why it did not come; others come all the same.
func (b *folderBringing) refusedFile(f foreign.File, err error) error {
	if e := fault.Of(err); e.Kind == fault.Invalid || e.Kind == fault.TooLarge {
		b.refuse(f.Path, e.Error())
		b.step(1)
		return nil
	}
	return fmt.Errorf("%s cannot be stored: %w Run it again: what came stays.", foreign.Shown(f.Path), err)
}

// each makes records of a kind of files, one by one.
func (b *folderBringing) each(ctx context.Context, files []foreign.File, plural string, made, here *int) error {
	take := taking(plural)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("The import was ended. Run it again: what came stays.")
		}
		uid := foreign.UID("file", b.Project, f.Path, f.SHA256)
		title := f.Title()
		if f.Type == "application/pdf" {
			title = f.Name()
		}
		came := true
		var err error
		if b.Exists {
			came, err = take(ctx, b.site(), b.Scope, family.Sending{
				UID: uid, Name: title, Folder: f.Folder(), Type: f.Type, SHA256: f.SHA256, Dry: b.Dry,
				Again: func(n int) string { return foreign.UID("file", b.Project, f.Path, f.SHA256, strconv.Itoa(n)) },
				Open:  func() (io.ReadCloser, error) { return b.folder.Open(f.Path) },
			})
		}
		if err != nil {
			if err := b.refusedFile(f, err); err != nil {
				return err
			}
			continue
		}
		if came {
			*made++
		} else {
			*here++
		}
		b.step(1)
	}
	return nil
}

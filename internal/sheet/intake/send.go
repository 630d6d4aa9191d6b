package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Sending is a set of drawings that somebody sends without the API.
type Sending struct {
	Version string
	Publish bool
	Files   []Source
	// Refused is told of a file that cannot be taken, which is left out; nil, it is the end of the set.
	Refused func(place int, err error)
}

// Source is a file of a set.
type Source struct {
	Name string
	// SHA256 is what its content must have; "" where it may have any.
	SHA256 string
	Open   func() (io.ReadCloser, error)
}

// Send stores a set, has it read in the background, and gives its uid, which is blank where every file was refused;
// Progress tells how far it is. It needs the rights that the API asks for: fault.Forbidden.
func Send(ctx context.Context, s *store.Store, q *job.Queue, desk *upload.Desk, scope auth.Scope,
	in Sending,
) (uid string, err error) {
	if err := in.check(scope); err != nil {
		return "", err
	}
	p := scope.Project()
	var files []upload.File
	defer func() {
		if err != nil && !fault.Is(err, fault.Unavailable) { // then they may stand
			desk.Discard(ctx, files)
		}
	}()
	for i, source := range in.Files {
		file, err := source.store(ctx, s, desk, p)
		if in.Refused != nil && (fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge)) {
			in.Refused(i, err)
			continue
		}
		if err != nil {
			return "", source.wrong(err)
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return "", nil
	}
	err = s.Edit(ctx, p, scope.Person(), func(tx *store.Tx) error {
		write := &resource.Tx{Tx: tx, Scope: scope, Jobs: q}
		v, err := expect(write, in.Version, in.Publish, int64(len(files)))
		if err != nil {
			return err
		}
		uid = v.UID
		return begin(write, v, func(f pending.File, owner store.ID) (name, object string, err error) {
			file := files[f.Place-1]
			return file.Name, file.Object, upload.AddFile(tx, owner, file)
		})
	})
	return uid, err
}

// store stores a file, unless it is another one by now.
func (s *Source) store(ctx context.Context, in *store.Store, desk *upload.Desk, p *store.Project) (f upload.File,
	err error,
) {
	r, err := s.Open()
	if err != nil {
		return f, err
	}
	f, err = desk.Store(ctx, in, p, r)
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return f, err
	}
	f.Type, f.Name = pdfType, s.Name
	if s.SHA256 != "" && f.SHA256 != s.SHA256 {
		desk.Discard(ctx, []upload.File{f})
		return f, fault.New(fault.Invalid, "It changed while it was imported. Run the import again.")
	}
	return f, nil
}

// wrong says which file an error is about.
func (s *Source) wrong(err error) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	named := *e
	named.Message = s.Name + ": " + e.Message
	return &named
}

// Unread gives the sets of a project that wait to be read, and the places of those in which nothing could be.
func Unread(ctx context.Context, s *store.Store, p *store.Project) (waiting []string, failed map[store.ID]bool,
	err error,
) {
	sets := func(state int) (uids []string, err error) {
		err = s.QueryIn(ctx, p, pending.SetsInState, []any{p.ID, state}, func(c *store.Cols) error {
			uids = append(uids, c.Text(0))
			return nil
		})
		return uids, err
	}
	if waiting, err = sets(pending.StateReading); err != nil {
		return nil, nil, err
	}
	uids, err := sets(pending.StateFailed)
	if err != nil {
		return nil, nil, err
	}
	failed = map[store.ID]bool{}
	for _, uid := range uids {
		_, id, err := register.VersionSets.Stored(ctx, s, p, uid)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, nil, err
		}
		failed[id] = true
	}
	return waiting, failed, nil
}

func (in *Sending) check(scope auth.Scope) error {
	switch {
	case auth.Admins.For(scope.Role()) == auth.No:
		return fault.New(fault.Forbidden, "Drawings are uploaded by Admins; %s is %s of this project.",
			scope.Account().Email, scope.Role())
	case strings.TrimSpace(in.Version) == "" || utf8.RuneCountInString(in.Version) > mostName:
		return fault.New(fault.Invalid, "A version has a name of 1 to %d characters.", mostName)
	case len(in.Files) < 1 || len(in.Files) > mostFiles:
		return fault.New(fault.Invalid, "A set has 1 to %d files.", mostFiles)
	}
	return nil
}

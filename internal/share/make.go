package share

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/blob"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/job"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

func (k *Kind[Ask]) path() string { return k.Path }

// makeAttempts is how often a file is tried to be made.
const makeAttempts = 5

// longestWhole is how long a file may take that has all files of a project.
const longestWhole = 6 * time.Hour

// work declares the job that makes shareables of the kind. A second one waits for nobody's first.
func (k *Kind[Ask]) work(q *job.Queue, t *Tools) {
	options := job.Options{
		Heavy: true, Parallel: 2, Attempts: makeAttempts, Backoff: 5 * time.Second, Timeout: 10 * time.Minute,
	}
	if k.Whole {
		options.Timeout = longestWhole
	}
	job.Handle(q, k.Path, options, func(ctx context.Context, c commission[Ask], r *job.Run) error {
		err := k.fulfil(drawing.For(ctx, r.Owner()), t, c, r)
		if err != nil && ctx.Err() == nil && r.Attempt() >= makeAttempts {
			err = errors.Join(err, giveUp(ctx, t, c.Project, c.UID, givenUp))
		}
		return err
	})
	job.Died(q, k.Path, func(ctx context.Context, c commission[Ask], r *job.Run) error {
		why := stoppedTwice
		switch {
		case k.Whole:
			why = stoppedWhole
		case r.Slow():
			why = tookLong
		}
		return giveUp(ctx, t, c.Project, c.UID, why)
	})
}

// giveUp ends a shareable that is not tried again. What an attempt left is removed by the next sweep.
func giveUp(ctx context.Context, t *Tools, project, uid, why string) error {
	p, err := t.Store.Project(ctx, project)
	if err != nil {
		return err
	}
	return t.Store.Edit(ctx, p, 0, func(tx *store.Tx) error { return tx.Exec(failShareable, p.ID, uid, why, tx.Now()) })
}

// fulfil makes the file, stores it under a name of this attempt alone, and shows it in the transaction that ends the
// job: no other attempt can show another, and nobody sees a part of one.
func (k *Kind[Ask]) fulfil(ctx context.Context, t *Tools, c commission[Ask], r *job.Run) (end error) {
	p, err := t.Store.Project(ctx, c.Project)
	if err != nil {
		return err
	}
	object, err := begin(ctx, t, p, c.UID)
	if err != nil || object == "" {
		return err
	}
	made, size, sum, err := k.store(ctx, t, c, object, r.Progress)
	if made.Close != nil { // what lies here is in nobody's way, whoever waits for the file comes first
		defer func() { end = errors.Join(end, made.Close()) }()
	}
	if wrong := final(err); wrong != "" {
		return t.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
			return errors.Join(tx.Exec(failShareable, p.ID, c.UID, wrong, tx.Now()), tx.Exec(forgetObject, p.ID, c.UID),
				r.Complete(tx))
		})
	}
	if err != nil {
		return err
	}
	err = t.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		// Others may have taken the room meanwhile; then the next attempt says so.
		room, err := t.Files.RoomIn(tx)
		if err != nil {
			return err
		}
		if size > room {
			return noRoom()
		}
		mine := false
		if err := tx.Query(completeShareable, []any{p.ID, c.UID, object, tx.Now()},
			func(*store.Cols) error { mine = true; return nil }); err != nil {
			return err
		}
		if !mine {
			return job.ErrLost
		}
		if k.Whole {
			if err := tx.Exec(replaceShareables, p.ID, k.Path, c.Account, c.UID, replaced); err != nil {
				return err
			}
		}
		if err := upload.AddFile(tx, 0,
			upload.File{Object: object, Type: made.Type, Name: made.Name, Size: size, SHA256: sum}); err != nil {
			return err
		}
		return r.Complete(tx)
	})
	if err != nil && !fault.Is(err, fault.Unavailable) { // then it may stand
		err = errors.Join(err, t.Files.Blobs.Delete(context.WithoutCancel(ctx), object))
	}
	return err
}

// begin names the object of this attempt in the shareable, after it removed that of an attempt that died. It is ""
// where nothing is to be made any more.
func begin(ctx context.Context, t *Tools, p *store.Project, uid string) (object string, err error) {
	open, left := false, ""
	err = t.Store.QueryIn(ctx, p, beginObject, []any{p.ID, uid}, func(c *store.Cols) error {
		open, left = true, c.Text(0)
		return nil
	})
	if err != nil || !open {
		return "", err
	}
	if left != "" {
		if err := t.Files.Blobs.Delete(ctx, left); err != nil {
			return "", err
		}
	}
	object = blob.NewName()
	return object, t.Store.Edit(ctx, p, 0, func(tx *store.Tx) error { return tx.Exec(setObject, p.ID, uid, object) })
}

// store makes the file and puts it into the store of files.
func (k *Kind[Ask]) store(ctx context.Context, t *Tools, c commission[Ask], object string,
	progress func(int),
) (made File, size int64, sum string, err error) {
	account, err := t.Auth.Account(ctx, c.Account)
	if err != nil {
		return made, 0, "", err
	}
	scope, err := t.enter(ctx, account, c.Project)
	if err != nil {
		return made, 0, "", err
	}
	room, err := t.Files.Room(ctx, t.Store, scope.Project())
	if err != nil {
		return made, 0, "", err
	}
	if room == 0 {
		return made, 0, "", noRoom()
	}
	if made, err = k.Make(ctx, &Order[Ask]{t, c.Ask, scope, progress}); err != nil {
		return made, 0, "", err
	}
	f, err := made.open(room)
	if err != nil {
		return made, 0, "", err
	}
	hash := sha256.New()
	size, err = t.Files.Blobs.Put(ctx, object, io.TeeReader(f, hash))
	if err = errors.Join(err, f.Close()); err != nil {
		return made, 0, "", err
	}
	return made, size, hex.EncodeToString(hash.Sum(nil)), nil
}

// open gives the bytes of the file, up to as many as there is room for.
func (f *File) open(room int64) (io.ReadCloser, error) {
	if f.Write != nil {
		out, in := io.Pipe()
		p := &piped{out, make(chan struct{})}
		go func() {
			defer close(p.done)
			in.CloseWithError(f.Write(&bounded{in, room}))
		}()
		return p, nil
	}
	open, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	if info, err := open.Stat(); err != nil || info.Size() > room {
		return nil, errors.Join(err, noRoom(), open.Close())
	}
	return open, nil
}

// piped is what is written while it is read. Close waits until nobody writes any more.
type piped struct {
	*io.PipeReader
	done chan struct{}
}

func (p *piped) Close() error {
	err := p.PipeReader.Close()
	<-p.done
	return err
}

// bounded refuses what there is no room for.
type bounded struct {
	io.Writer
	room int64
}

func (b *bounded) Write(text []byte) (int, error) {
	if b.room -= int64(len(text)); b.room < 0 {
		return 0, noRoom()
	}
	return b.Writer.Write(text)
}

// Now makes a file for somebody while the caller waits: fault.Forbidden for who is not a present member of the project,
// and what a request would be refused for, in the words of the field alone.
func (k *Kind[Ask]) Now(ctx context.Context, t *Tools, who *identity.Account, project string, ask Ask,
	progress func(percent int),
) (File, error) {
	scope, err := t.enter(ctx, who, project)
	if err != nil {
		return File{}, err
	}
	err = k.Check(&look{ctx, t.Store, scope.Project(), t.All}, &ask)
	var e *fault.Error
	if errors.As(err, &e) && len(e.Fields) > 0 {
		return File{}, fault.New(e.Kind, "%s", strings.Join(slices.Sorted(maps.Values(e.Fields)), " "))
	}
	if err != nil {
		return File{}, err
	}
	return k.Make(ctx, &Order[Ask]{t, ask, scope, progress})
}

// enter gives what somebody is in a project now: fault.Forbidden for who is not a present member.
func (t *Tools) enter(ctx context.Context, who *identity.Account, project string) (auth.Scope, error) {
	if who.Disabled {
		return auth.Scope{}, fault.New(fault.Forbidden, "The account %s is disabled.", who.Email)
	}
	return t.Auth.Enter(ctx, who, project)
}

// noRoom says that a project has all the files that it may have: what is made counts as what is uploaded does.
func noRoom() error {
	return fault.New(fault.Invalid,
		"The project has no room left for this file. Files that were made are removed after 30 days; who runs the service can give the project more room.")
}

// final is what is said of an error that trying again cannot mend; "" for others.
func final(err error) string {
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden) {
		return fault.Of(err).Message
	}
	return ""
}

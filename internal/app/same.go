package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// All servers of a database must use the same file store and the same secret: otherwise files that one has taken are
// missing for the others, and links that one has signed are none to them. The database therefore keeps a mark of both.
// That of the file store is the name of an object that lies in it, so that it moves when all objects are moved; that of
// the secret is a keyed hash. A restore leaves both behind: the names begin with store.HerePrefix.
const (
	filesMark  = store.HerePrefix + "files"
	secretMark = store.HerePrefix + "secret"

	insertNote = "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
	markText   = "By this object Groundwork knows that these are the files of its installation. Leave it here.\n"
)

var (
	errOtherSecret = errors.New("The secret of this server, GROUNDWORK_SECRET, is not the one of the servers that use this database, so that links which one of them signs would be none to the others. " +
		"Give all of them the same one. To change it: stop all servers, set the new one, and run groundwork doctor --accept-secret with the same settings.")
	errOtherFiles = errors.New("The file store of this server is not the one in which the files of this installation lie. " +
		"Name the right one with --blob-url, as the other servers have it. To move the files: stop all servers, copy every object, and name the new place. " +
		"If the old files are lost: groundwork doctor --accept-store with the same settings.")
	errServed = errors.New("A server runs on this installation. Stop all servers first.")
)

// SameStores says why this process may not work on the files of the installation: its file store, or its secret, is not
// that of the others, and of the servers before. A file store that cannot be asked now is looked at again when it can:
// a server starts without it.
func (a *App) SameStores(ctx context.Context) error {
	if err := a.sameSecret(ctx); err != nil {
		return err
	}
	err := a.sameFiles(ctx)
	if a.unsure.Store(err != nil); err != nil && !errors.Is(err, errOtherFiles) {
		a.Log.WarnContext(ctx, "the file store cannot be asked whether it is the installation's own; this is tried again",
			"error", fault.Cause(err))
		return nil
	}
	return err
}

// sameSecret compares the secret with the one that the first server had.
func (a *App) sameSecret(ctx context.Context) error {
	kept, err := a.firstNote(ctx, secretMark, a.fingerprint())
	if err == nil && kept != a.fingerprint() {
		err = errOtherSecret
	}
	return err
}

// SecretFits says why marks that servers of the installation made are none to this process: its secret is another one.
// It notes nothing.
func (a *App) SecretFits(ctx context.Context) error {
	noted, err := a.Store.Note(ctx, secretMark)
	if err == nil && noted != "" && noted != a.fingerprint() {
		err = errOtherSecret
	}
	return err
}

func (a *App) fingerprint() string {
	return hex.EncodeToString(a.Auth.Sign("fingerprint", []byte("secret")))
}

// sameFiles looks for the mark of the installation in the file store; the first server puts it there.
func (a *App) sameFiles(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, watchWithin)
	defer cancel()
	mark, err := a.Store.Note(ctx, filesMark)
	if err == nil && mark == "" {
		mark, err = a.markFiles(ctx, func(mark string) (string, error) { return a.firstNote(ctx, filesMark, mark) })
	}
	if err != nil {
		return err
	}
	_, err = a.Blob.Range(ctx, blob.Part(mark, "mark"), 0, 1)
	if fault.Is(err, fault.NotFound) {
		return errOtherFiles
	}
	if err == nil {
		a.mark.Store(&mark)
	}
	return err
}

// markFiles puts a new mark into the file store, and has it noted; where another one was noted meanwhile, it is that.
func (a *App) markFiles(ctx context.Context, note func(mark string) (string, error)) (string, error) {
	mark := store.NewUID()
	if _, err := a.Blob.Put(ctx, blob.Part(mark, "mark"), strings.NewReader(markText)); err != nil {
		return "", err
	}
	kept, err := note(mark)
	// After an error nobody knows whether it was noted: an object too many is better than a note of none.
	if err == nil && kept != mark {
		err = a.Blob.Delete(ctx, blob.Part(mark, "mark"))
	}
	return kept, err
}

// firstNote notes a value, unless there is one, and gives the one that is there.
func (a *App) firstNote(ctx context.Context, name, value string) (string, error) {
	kept, err := a.Store.Note(ctx, name)
	if err != nil || kept != "" {
		return kept, err
	}
	if err := a.Store.Write(ctx, func(tx *store.Tx) error { return tx.Exec(insertNote, name, value) }); err != nil {
		return "", err
	}
	return a.Store.Note(ctx, name)
}

// AcceptFiles makes the file store that this process was told of the installation's own.
func (a *App) AcceptFiles(ctx context.Context) error {
	if a.served.Load() != nil {
		return errServed
	}
	old, err := a.Store.Note(ctx, filesMark)
	if err != nil {
		return err
	}
	_, err = a.markFiles(ctx, func(mark string) (string, error) { return mark, a.Store.SetNote(ctx, filesMark, mark) })
	if err != nil {
		return fmt.Errorf("The file store cannot be marked as the installation's own: %w", err)
	}
	if old != "" {
		return a.Blob.Delete(ctx, blob.Part(old, "mark")) // where it was this store before
	}
	return nil
}

// AcceptSecret makes the secret that this process was told of the installation's own.
func (a *App) AcceptSecret(ctx context.Context) error {
	if a.served.Load() != nil {
		return errServed
	}
	return a.Store.SetNote(ctx, secretMark, a.fingerprint())
}

// checkSame is what doctor says of both; it changes nothing.
func (a *App) checkSame(ctx context.Context) []Check {
	check := func(name, note string, check func(context.Context) error) Check {
		noted, err := a.Store.Note(ctx, note)
		if noted == "" || err != nil { // no server was started yet, or none since a restore
			return Check{name, func(context.Context) error { return err }}
		}
		return Check{name, check}
	}
	return []Check{
		check("files are the installation's own", filesMark, a.sameFiles),
		check("secret is the installation's own", secretMark, a.sameSecret),
	}
}

// ownObjects are the objects of the file store that belong to no project.
func (a *App) ownObjects(ctx context.Context) ([]string, error) {
	mark, err := a.Store.Note(ctx, filesMark)
	if mark == "" || err != nil {
		return nil, err
	}
	return []string{blob.Part(mark, "mark")}, nil
}

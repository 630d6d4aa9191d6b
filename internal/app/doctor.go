package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"groundwork/internal/blob"
	"groundwork/internal/store"
	"groundwork/internal/system"
)

// Check is one thing that doctor looks at; Run's error says what is wrong and what to do. A Hint is no fault.
type Check struct {
	Name string
	Run  func(ctx context.Context) error
}

// Hint is what could be better, or could not be found out.
type Hint string

func (h Hint) Error() string { return string(h) }

// Checks are what can be looked at without opening the database.
func Checks(c Config) []Check {
	settled, err := c.settled()
	checks := []Check{
		{"configuration", func(context.Context) error {
			if err != nil {
				return err
			}
			return settled.checkServing()
		}},
		{"data folder", func(context.Context) error { return checkFolder(settled.Data) }},
		{"disk", func(context.Context) error { return checkDisk(settled.Data) }},
		{"clock", func(context.Context) error { return checkYear(time.Now()) }},
	}
	if folder := blob.Folder(string(settled.BlobURL)); folder != "" && err == nil {
		checks = append(checks, Check{"disk of the files", func(context.Context) error { return checkDisk(folder) }})
	}
	if err == nil {
		checks = append(checks, settled.checkStored()...)
	}
	if settled.hasFiles() {
		checks = append(checks, settled.checkPair())
	}
	if settled.MailURL != "" && err == nil {
		checks = append(checks, Check{"mail server", settled.checkMail})
	}
	return checks
}

// CheckSettings says which settings cannot be meant, whatever is done with them.
func CheckSettings(c Config) error {
	_, err := c.settled()
	return err
}

// CheckFiles looks at the file store that a configuration names, whatever a running server uses.
func CheckFiles(c Config) Check {
	return Check{"file store that is named here", func(ctx context.Context) error {
		files, err := blob.Open(ctx, string(c.BlobURL), c.Log)
		if err != nil {
			return err
		}
		return files.Check(ctx)
	}}
}

// Exists says why there is nothing to open yet: looking must not make a database.
func Exists(c Config) error {
	c, err := c.settled()
	if err != nil {
		return err
	}
	file := c.file()
	if file == "" {
		return nil
	}
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("there is no database at %s; check --data and --database-url, or make one with groundwork serve", file)
	}
	return nil
}

// Checks are what can be looked at in an open installation.
func (a *App) Checks(ctx context.Context) []Check {
	var checks []Check
	for _, f := range a.Store.Doctor(ctx) {
		checks = append(checks, Check{f.Name, func(context.Context) error { return f.Err }})
	}
	checks = append(checks, Check{"clock of the projects", a.checkProjects}, Check{"file store", a.Blob.Check},
		Check{"somebody can sign in", a.checkEntry},
		a.checkWalls(ctx), a.checkRecognition(ctx), a.checkBackup(ctx))
	checks = append(checks, a.checkShipped(ctx)...)
	checks = append(checks, a.checkPlace(ctx)...)
	checks = append(checks, a.checkSame(ctx)...)
	wrong, err := a.Auth.AddressFindings(ctx)
	return append(checks, findings("addresses of accounts", wrong, err)...)
}

// checkWalls looks at what stands around the process that reads drawings; its name says it.
func (a *App) checkWalls(ctx context.Context) Check {
	walls, err := a.Drawing.Probe(ctx)
	name := "walls of the drawing worker"
	if err == nil {
		said := walls.String()
		if !walls.Strict() {
			said += "; " + strings.Join(walls.Missing, "; ")
		}
		name += " (" + said + ")"
	}
	return Check{name, func(context.Context) error { return err }}
}

// checkRecognition says what recognises the letters of scanned drawings. That nothing does is a fault only where the
// settings name a program.
func (a *App) checkRecognition(ctx context.Context) Check {
	r, name := a.Drawing.Recogniser(ctx), "recognition of scanned drawings"
	if r.Wanted && r.Program == "" {
		return Check{name, func(context.Context) error { return errors.New(r.Why) }}
	}
	return Check{name + " (" + r.String() + ")", func(context.Context) error { return nil }}
}

// checkProjects finds a wall clock that has fallen behind what is already stored.
func (a *App) checkProjects(ctx context.Context) error {
	var newest int64
	err := a.Store.Query(ctx, `SELECT MAX(clock) FROM projects`, nil, func(c *store.Cols) error {
		newest = c.Int(0)
		return nil
	})
	if err != nil {
		return err
	}
	behind := time.Duration(newest-a.Store.Now()) * time.Microsecond
	if behind > time.Minute {
		return fmt.Errorf("this machine's clock is %s behind the newest change; set it right (updates stay in order meanwhile)", behind.Round(time.Second))
	}
	return nil
}

func checkYear(now time.Time) error {
	if year := now.UTC().Year(); year < 2026 || year > 2100 {
		return fmt.Errorf("this machine's clock says that the year is %d; set it right", year)
	}
	return nil
}

func checkFolder(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s does not exist; check --data, or make it with groundwork serve", folder)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	}
	f, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written to by this user: %w", folder, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Below both of these a disk is nearly full.
const (
	leastFree  = 1 << 30
	leastShare = 20 // one part in so many
)

func checkDisk(folder string) error {
	// The folder may be still to be made.
	for folder != filepath.Dir(folder) {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		folder = filepath.Dir(folder)
	}
	room, err := system.RoomAt(folder)
	if err != nil {
		return fmt.Errorf("the free space of %s cannot be read: %w", folder, err)
	}
	return judgeDisk(folder, room.Free, room.Size)
}

func judgeDisk(folder string, free, size uint64) error {
	if free < leastFree && free < size/leastShare {
		return fmt.Errorf("%s has %d MB left of %d MB; make room before writes begin to fail", folder, free>>20,
			size>>20)
	}
	return nil
}

// mostWrong is how many findings of verify are told one by one.
const mostWrong = 100

// Verify reads every record and tells what is wrong with any of them.
func (a *App) Verify(ctx context.Context) []Check {
	wrong, err := Catalog().Verify(ctx, a.Store)
	return findings("records", wrong, err)
}

// VerifyFiles compares the file store with the records, with whole every byte of it, and tells what is missing, damaged
// or left over.
func (a *App) VerifyFiles(ctx context.Context, whole bool) []Check {
	var wrong []string
	own, err := a.ownObjects(ctx)
	if err == nil {
		err = a.Files.Audit(ctx, a.Store, whole, func(finding string) { wrong = append(wrong, finding) }, own...)
	}
	return findings("files", wrong, err)
}

// findings makes a check of each thing that is wrong, or one that passes.
func findings(name string, wrong []string, err error) []Check {
	fail := func(err error) Check {
		return Check{name, func(context.Context) error { return err }}
	}
	if err != nil || len(wrong) == 0 {
		return []Check{fail(err)}
	}
	var checks []Check
	for _, finding := range wrong[:min(len(wrong), mostWrong)] {
		checks = append(checks, fail(errors.New(finding)))
	}
	if more := len(wrong) - len(checks); more > 0 {
		checks = append(checks, fail(fmt.Errorf("and %d more", more)))
	}
	return checks
}

package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"groundwork/internal/system"
)

// ErrInUse says that another process owns the data folder: a server, or a command that will soon be done.
var ErrInUse = errors.New("the data folder is in use by another process")

// lock is a folder that this process owns. The system takes it back when the process ends, however it ends.
type lock struct{ file *os.File }

// takeFolders takes the data folder and the one in which the database file lies; nothing when many processes may share
// the database.
func takeFolders(c Config) ([]*lock, error) {
	file := c.file()
	if file == "" {
		return nil, nil
	}
	folders := []string{c.Data, filepath.Dir(file)}
	for i, folder := range folders {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folders[i] = real
		}
	}
	var locks []*lock
	for _, folder := range slices.Compact(folders) {
		l, err := takeFolder(folder)
		if err != nil {
			for _, taken := range locks {
				err = errors.Join(err, taken.release())
			}
			return nil, err
		}
		locks = append(locks, l)
	}
	return locks, nil
}

func takeFolder(folder string) (*lock, error) {
	f, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("The data folder cannot be used: %w.", err)
	}
	err = system.Lock(f)
	if err == nil {
		return &lock{f}, nil
	}
	if errors.Is(err, system.ErrLocked) {
		err = ErrInUse
	} else {
		err = fmt.Errorf("The data folder %s cannot be locked: %w.", folder, err)
	}
	return nil, errors.Join(err, f.Close())
}

func (l *lock) release() error { return l.file.Close() }

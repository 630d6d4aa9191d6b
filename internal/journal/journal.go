// Package journal owns files of lines that grow together with a note of how far their writer is: after any kill there
// are exactly the lines that were there when the note was written. It refuses to know what lines and notes say. Open is
// its entry point.
package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"groundwork/internal/system"
)

// mostLine is how long a line may be: longer than any record.
const mostLine = 64 << 20

// Journal is a file of lines, NAME.jsonl, and the note beside it, NAME.state.
type Journal struct {
	file   *os.File
	to     *bufio.Writer
	state  string
	length int64
}

// note is what NAME.state has: how long the file of lines is by it, and the writer's own words.
type note struct {
	Length int64           `json:"length"`
	State  json.RawMessage `json:"state"`
}

// Open opens a journal in a folder, which is made where there is none, and reads the note into state, a pointer; what
// was written after the note is cut off. Only one process has it open.
func Open(folder, name string, state any) (*Journal, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("The folder cannot be used: %w.", err)
	}
	path := filepath.Join(folder, name+".jsonl")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w.", path, err)
	}
	j := &Journal{file: file, state: filepath.Join(folder, name+".state")}
	if err := j.open(state); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	j.to = bufio.NewWriterSize(file, 1<<16)
	return j, nil
}

func (j *Journal) open(state any) error {
	if err := system.Lock(j.file); err != nil {
		return fmt.Errorf("%s is in use by another process.", j.file.Name())
	}
	text, err := os.ReadFile(j.state)
	var n note
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w.", j.state, err)
	case json.Unmarshal(text, &n) != nil || n.Length < 0 || n.State != nil && json.Unmarshal(n.State, state) != nil:
		return fmt.Errorf("%s is damaged. Remove the folder to begin again.", j.state)
	}
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < n.Length {
		return fmt.Errorf("%s is shorter than %s says. Remove the folder to begin again.", j.file.Name(), j.state)
	}
	if j.length = n.Length; !plantedTwice {
		err = j.file.Truncate(j.length)
	} else {
		j.length = info.Size()
	}
	if err == nil {
		_, err = j.file.Seek(j.length, io.SeekStart)
	}
	return err
}

// Append adds a line, which is there for good once Commit has ended. It gives where the line begins.
func (j *Journal) Append(line []byte) (at int64, err error) {
	at = j.length
	n, err := j.to.Write(line)
	if err == nil {
		err = j.to.WriteByte('\n')
	}
	j.length += int64(n) + 1
	return at, err
}

// Length is how long the file is with what was appended.
func (j *Journal) Length() int64 { return j.length }

// Commit makes what was appended and a new note durable, both or none.
func (j *Journal) Commit(state any) error {
	if err := errors.Join(j.to.Flush(), j.file.Sync()); err != nil {
		return fmt.Errorf("%s cannot be written: %w.", j.file.Name(), err)
	}
	own, err := json.Marshal(state)
	if err != nil {
		return err
	}
	text, err := json.Marshal(note{j.length, own})
	if err != nil {
		return err
	}
	if err := replace(j.state, text); err != nil {
		return fmt.Errorf("%s cannot be written: %w.", j.state, err)
	}
	return nil
}

// replace gives a file other content, all of it or nothing.
func replace(path string, text []byte) error {
	part, err := os.OpenFile(path+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = part.Write(text)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".part", path); err != nil {
		return err
	}
	return system.SyncFolder(filepath.Dir(path))
}

// Each shows the lines from the first on, and where each begins.
func (j *Journal) Each(each func(at int64, line []byte) error) error {
	if err := j.to.Flush(); err != nil {
		return err
	}
	lines := bufio.NewScanner(io.NewSectionReader(j.file, 0, j.length))
	lines.Buffer(make([]byte, 1<<16), mostLine)
	at := int64(0)
	for lines.Scan() {
		if err := each(at, lines.Bytes()); err != nil {
			return err
		}
		at += int64(len(lines.Bytes())) + 1
	}
	return lines.Err()
}

// Read reads the line that begins at a place and has so many bytes.
func (j *Journal) Read(at int64, length int) ([]byte, error) {
	if err := j.to.Flush(); err != nil {
		return nil, err
	}
	line := make([]byte, length)
	_, err := j.file.ReadAt(line, at)
	return line, err
}

// Close closes the files. What was not committed is cut off by the next Open.
func (j *Journal) Close() error { return j.file.Close() }

package lab

import "os"

// PlantClock gives what sets the clock of a planted service wrong, by nothing at first, and what its environment must
// have for it.
func (t *Trial) PlantClock() (set func(offset string) error, env string, err error) {
	file := t.Path("offset")
	set = func(offset string) error {
		// A file that is replaced is never read half-written.
		if err := os.WriteFile(file+".new", []byte(offset), 0o600); err != nil {
			return err
		}
		return os.Rename(file+".new", file)
	}
	return set, "GROUNDWORK_CLOCK_OFFSET=" + file, set("0s")
}

package drawing

import (
	"fmt"
	"os"

	"github.com/go-json-experiment/json"
)

// launchMarker is set in the environment of a child that becomes the recogniser, to what it is started with.
const launchMarker = "GROUNDWORK_DRAWING_RECOGNISER"

// launching is how a recogniser is started: by a child of ours that gives itself walls and then becomes the program.
type launching struct {
	Program string
	Args    []string
	// Reads are the folders and files that the program may read, beside itself.
	Reads []string
	// Memory is how many bytes of data it may have, Seconds how long it may use the processor, Room how many bytes it
	// may write to its answer.
	Memory, Seconds, Room int64
	// Relaxed has it start also where a wall is missing.
	Relaxed bool
	// Tells has it tell its walls through the file 3 first.
	Tells bool
}

// exitBare is how a launcher ends that could not make its walls.
const exitBare = 4

// launch is the life of a launcher: it ends as another program, or not well.
func launch(text string) int {
	var l launching
	if err := json.Unmarshal([]byte(text), &l); err != nil || l.Program == "" {
		fmt.Fprintln(os.Stderr, "groundwork: this command is started by the service itself.")
		return 2
	}
	become, walls := l.confine()
	if l.Tells {
		if err := send(lent("walls"), message{Walls: &walls}, mostRequest); err != nil {
			fmt.Fprintln(os.Stderr, "groundwork: the walls cannot be told:", err)
			return 1
		}
	}
	if !l.Relaxed && !walls.holdsProgram() {
		fmt.Fprintln(os.Stderr, "groundwork: the recogniser cannot be confined:", walls.Missing)
		return exitBare
	}
	fmt.Fprintln(os.Stderr, "groundwork:", become())
	return 1
}

// environment is everything that a recogniser is told about its surroundings: it works alone, on one processor.
func environment() []string {
	return []string{"OMP_THREAD_LIMIT=1", "OMP_NUM_THREADS=1", "LC_ALL=C", "HOME=/", "TMPDIR=/"}
}

// holdsProgram is whether walls suffice around a program that must open its own libraries: the list of calls, and
// Landlock, by which it opens nothing else.
func (w Walls) holdsProgram() bool { return w.Calls && w.Landlock > 0 }

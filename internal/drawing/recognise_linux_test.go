package drawing

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// seeable are what a program may do that must find its libraries: it learns whether a name is there, not what is in it;
// and it reads its own limits.
var seeable = map[string]bool{"sees that a file is there": true, "lifts its own limits": true}

// A recogniser that a picture has taken over reads, writes, starts and reaches nothing. The control: the same program
// without its walls does all of it.
func TestHostileRecogniser(t *testing.T) {
	w := open(t, Config{Children: 1})
	program := fakePath(t, "fake-hostile")
	hunt := func(run func(aimed string, out *os.File) error) map[string]string {
		t.Helper()
		word := secretWord
		aimed, err := json.Marshal(aim(t, &word))
		if err != nil {
			t.Fatal(err)
		}
		out, err := os.CreateTemp(t.TempDir(), "answer")
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if err := run(string(aimed), out); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		var done map[string]string
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&done); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if len(done) != len(misdeeds)+len(programDeeds) {
			t.Errorf("%d misdeeds were tried", len(done))
		}
		return done
	}
	for name, said := range hunt(func(aimed string, out *os.File) error {
		_, err := w.runRecogniser(t.Context(), recognition{
			program: program, args: []string{aimed}, out: out, within: defaultSeen,
		})
		return err
	}) {
		if said == "" && !seeable[name] {
			t.Errorf("a hostile recogniser %s", name)
		}
	}
	for name, said := range hunt(func(aimed string, out *os.File) error {
		cmd := exec.Command(program, aimed)
		cmd.Stdout, cmd.Dir = out, t.TempDir()
		return cmd.Run()
	}) {
		// A file that runs is written by nobody; our memory is not where this program would look for it.
		if said != "" && name != "replaces itself" && name != "reads our memory" && name != "writes our memory" {
			t.Errorf("the control could not: %s: %s", name, said)
		}
	}
	os.Remove("/tmp/groundwork-hostile")
}

// Where Landlock or the list of calls is missing, a recogniser is not started.
func TestRecogniserNeedsWalls(t *testing.T) {
	for walls, want := range map[*Walls]bool{
		{Calls: true, Landlock: 1}: true, {Calls: true, Apart: true}: false, {Landlock: 7, Apart: true}: false,
		{}: false,
	} {
		if walls.holdsProgram() != want {
			t.Errorf("%v suffices: %v", walls, !want)
		}
	}
	w := open(t, Config{Children: 1, Recognition: fakePath(t, "fake-odd")})
	r := w.Recogniser(t.Context())
	if r.Program == "" || !r.Walls.holdsProgram() || len(r.Languages) != 1 || r.Languages[0] != "eng" {
		t.Errorf("found %+v", r)
	}
}

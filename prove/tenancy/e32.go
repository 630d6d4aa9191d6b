// Package tenancy tries the fifth promise: tenants are apart. It attacks rights, row-level security, fields that the
// service owns, OAuth, and looks for secrets where none may be.
package tenancy

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"groundwork/internal/pgtest"
	"groundwork/prove/lab"
)

// E32 plays the table of rights, with every check taken out in turn as its control.
var E32 = &lab.Experiment{
	ID: "E32",
	Title: "every endpoint for callers without a key, with a wrong, a deactivated and a removed one's key, of another tenant and of every role, on their own records and others', foreign, " +
		"deleted and unknown ones, plainly, in a batch, as HEAD, with a broken body and on a condition; foreign uids in bodies; tokens of every scope; sessions",
	MustHold: "every answer is as a table written by hand says, shows nothing foreign, and what is refused changes nothing; an endpoint without a line in the table fails",
	Control:  "the same without one of the checks, for each check of each endpoint, and for each check in the source",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		figures, err := runTests(t, "TestRights", "TestRightsUIDsInBodies", "TestRightsEveryUID", "TestTokenRights",
			"TestSessionRights")
		for _, f := range figures {
			t.Note(f.Name, "%s", f.Value)
		}
		return err
	},
	RunControl: func(t *lab.Trial) (string, error) {
		figures, err := runTests(t, "TestRightsMutants", "TestRightsSourceMutants")
		var noticed []string
		for _, f := range figures {
			noticed = append(noticed, f.Name+": all "+f.Value)
		}
		return strings.Join(noticed, "; "), err
	},
}

// runTests runs tests of this project's own that play the table of rights, on the engine where they know several, and
// gives the figures that they tell. They are too many for the short form.
func runTests(t *lab.Trial, names ...string) ([]lab.Figure, error) {
	if !t.Full {
		return nil, lab.CannotRun("make test plays the table whole on every change, and make mutants-sample a part of its control")
	}
	if t.Engine == lab.PostgreSQL && os.Getenv(pgtest.Variable) == "" {
		if err := pgtest.Installed(); err != nil {
			return nil, lab.CannotRun(err.Error())
		}
	}
	only := "^(" + strings.Join(names, "|") + ")$/^" + t.Engine + "$"
	cmd := exec.CommandContext(t, "go", "test", "-count=1", "-timeout="+lab.FullTimeout.String(), "-v", "-run", only,
		"./internal/apitest")
	cmd.Dir, cmd.Env = t.Lab.SourceFolder, append(os.Environ(), "GROUNDWORK_MUTANTS=all")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out[max(0, len(out)-1000):])
	}
	text := string(out)
	for _, name := range names {
		if !strings.Contains(text, "--- PASS: "+name+" (") {
			return nil, fmt.Errorf("%s was not run", name)
		}
	}
	var figures []lab.Figure
	for line := range strings.Lines(text) {
		if _, told, found := strings.Cut(strings.TrimSpace(line), "figure: "); found {
			name, value, _ := strings.Cut(told, ": ")
			n, err := strconv.Atoi(value)
			if err != nil {
				return nil, fmt.Errorf("%s is %w", name, err)
			}
			figures = append(figures, lab.Figure{Name: name, Value: lab.Thousands(n)})
		}
	}
	return figures, nil
}

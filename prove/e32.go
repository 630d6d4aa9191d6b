package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"groundwork/internal/pgtest"
)

var e32 = &experiment{
	id: "E32",
	title: "every endpoint for callers without a key, with a wrong, a deactivated and a removed one's key, of another tenant and of every role, on their own records and others', foreign, " +
		"deleted and unknown ones, plainly, in a batch, as HEAD, with a broken body and on a condition; foreign uids in bodies; tokens of every scope; sessions",
	bar:     "every answer is as a table written by hand says, shows nothing foreign, and what is refused changes nothing; an endpoint without a line in the table fails",
	control: "the same without one of the checks, for each check of each endpoint, and for each check in the source",
	engines: bothEngines,
	run: func(t *trial) error {
		figures, err := t.test("TestRights", "TestRightsUIDsInBodies", "TestRightsEveryUID", "TestTokenRights", "TestSessionRights")
		for _, f := range figures {
			t.note(f.Name, "%s", f.Value)
		}
		return err
	},
	runControl: func(t *trial) (string, error) {
		figures, err := t.test("TestRightsMutants", "TestRightsSourceMutants")
		var noticed []string
		for _, f := range figures {
			noticed = append(noticed, f.Name+": all "+f.Value)
		}
		return strings.Join(noticed, "; "), err
	},
}

// test runs tests of this project's own that play the table of rights, on the engine where they know several, and gives the figures that they tell. They are too
// many for the short form.
func (t *trial) test(names ...string) ([]figure, error) {
	if !t.full {
		return nil, errNotRun{"make test runs it whole, on every change"}
	}
	if t.engine == postgres && os.Getenv(pgtest.Variable) == "" {
		if err := pgtest.Installed(); err != nil {
			return nil, errNotRun{err.Error()}
		}
	}
	only := "^(" + strings.Join(names, "|") + ")$/^" + t.engine + "$"
	cmd := exec.CommandContext(t, "go", "test", "-count=1", "-timeout="+withinFull.String(), "-v", "-run", only, "./internal/apitest")
	cmd.Dir = t.lab.top
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
	var figures []figure
	for line := range strings.Lines(text) {
		if _, told, found := strings.Cut(strings.TrimSpace(line), "figure: "); found {
			name, value, _ := strings.Cut(told, ": ")
			n, err := strconv.Atoi(value)
			if err != nil {
				return nil, fmt.Errorf("%s is %w", name, err)
			}
			figures = append(figures, figure{name, thousands(n)})
		}
	}
	return figures, nil
}

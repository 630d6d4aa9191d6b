package main

import (
	"bufio"
	"bytes"
	"errors"
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
		const tests = "^(TestRights|TestRightsUIDsInBodies|TestRightsEveryUID|TestTokenRights|TestSessionRights)$/^"
		figures, err := t.test(tests + t.engine + "$")
		for _, f := range figures {
			t.note(f.Name, "%s", f.Value)
		}
		return err
	},
	runControl: func(t *trial) (string, error) {
		figures, err := t.test("^TestRights(|Source)Mutants$")
		var noticed []string
		for _, f := range figures {
			noticed = append(noticed, f.Name+": all "+f.Value)
		}
		return strings.Join(noticed, "; "), err
	},
}

// test runs tests of this project's own that play the table of rights, which are too many for the short form, and gives the figures that they tell.
func (t *trial) test(names string) ([]figure, error) {
	if !t.full {
		return nil, errNotRun{"make test runs it whole, on every change"}
	}
	cmd := exec.CommandContext(t, "go", "test", "-count=1", "-timeout="+withinFull.String(), "-v", "-run", names, "./internal/apitest")
	cmd.Dir, cmd.Env = t.lab.top, os.Environ()
	if t.engine == postgres {
		if _, err := t.lab.database(t); err != nil {
			return nil, err
		}
		if t.lab.cluster != nil {
			cmd.Env = append(cmd.Env, pgtest.Variable+"="+t.lab.cluster.URL)
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out[max(0, len(out)-1000):])
	}
	var figures []figure
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if _, told, found := strings.Cut(lines.Text(), "figure: "); found {
			name, value, _ := strings.Cut(told, ": ")
			n, err := strconv.Atoi(value)
			if err != nil {
				return nil, fmt.Errorf("%s is %w", name, err)
			}
			figures = append(figures, figure{name, thousands(n)})
		}
	}
	if len(figures) == 0 {
		return nil, errors.New("the tests told nothing")
	}
	return figures, nil
}

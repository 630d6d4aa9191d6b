package apitest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
)

// tourBlock is a fenced block of a document marked "sh tour": commands, and parts of what they print.
type tourBlock struct {
	line   int // of the document
	script string
	shown  []string
}

// said begins a comment that shows a part of what the commands before it print.
const said = "# → "

// tourBlocks reads the blocks in order.
func tourBlocks(text string) []tourBlock {
	var blocks []tourBlock
	var open *tourBlock
	for i, line := range strings.Split(text, "\n") {
		switch {
		case line == "```sh tour":
			open = &tourBlock{line: i + 1}
		case open == nil:
		case line == "```":
			blocks = append(blocks, *open)
			open = nil
		case strings.HasPrefix(line, said):
			open.shown = append(open.shown, strings.TrimPrefix(line, said))
		default:
			open.script += line + "\n"
		}
	}
	return blocks
}

// missing gives the first of the fragments that does not stand in output after the ones before it.
func missing(output string, fragments []string) (string, bool) {
	for _, f := range fragments {
		_, after, found := strings.Cut(output, f)
		if !found {
			return f, true
		}
		output = after
	}
	return "", false
}

func TestTourReading(t *testing.T) {
	blocks := tourBlocks("a\n```sh tour\nx=1\n# → one\n# a word\n```\n```sh\nrm\n```\n```sh tour\necho $x\n```\n")
	if len(blocks) != 2 || blocks[0].script != "x=1\n# a word\n" || blocks[1].script != "echo $x\n" ||
		blocks[1].line != 10 {
		t.Fatalf("read %+v", blocks)
	}
	if len(blocks[0].shown) != 1 || blocks[0].shown[0] != "one" {
		t.Fatalf("shown %q", blocks[0].shown)
	}
	for _, c := range []struct {
		output, want string
		fragments    []string
	}{
		{"one two", "", nil},
		{"one two", "", []string{"one", "two"}},
		{"one two", "one", []string{"two", "one"}},
		{"one", "one", []string{"one", "one"}},
	} {
		if got, _ := missing(c.output, c.fragments); got != c.want {
			t.Errorf("%q in %q: missing %q, want %q", c.fragments, c.output, got, c.want)
		}
	}
}

// TestTour runs the README's tour on each engine, with the rate limits that a reader's key has.
func TestTour(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine, apitest.Reachable(), apitest.StandardLimits())
		playTour(t, "README.md", map[string]string{
			"BASE": server.URL, "KEY": server.Account("ada", "Ada Lovelace").Key,
		})
	})
}

// TestOAuthTour runs what docs/oauth.md shows, on each engine.
func TestOAuthTour(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine, apitest.Reachable(), apitest.StandardLimits())
		ada := server.Account("ada", "Ada Lovelace")
		playTour(t, "docs/oauth.md", map[string]string{
			"BASE": server.URL, "KEY": ada.Key, "EMAIL": ada.Email, "PASSWORD": apitest.Password,
		})
	})
}

// pasted are the lines that a reader replaces with what is theirs.
var pasted = regexp.MustCompile(`(?m)^export (\w+)=.*$`)

// playTour runs every block of a document in order, as a reader would who pastes one after the other. The first block
// exports what is the reader's.
func playTour(t *testing.T, document string, mine map[string]string) {
	t.Helper()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("the tour needs %s: install it", tool)
		}
	}
	text, err := os.ReadFile("../../" + document)
	if err != nil {
		t.Fatal(err)
	}
	blocks := tourBlocks(string(text))
	if len(blocks) < 8 {
		t.Fatalf("%s has %d blocks of the tour; it had more", document, len(blocks))
	}
	if n := len(pasted.FindAllString(blocks[0].script, -1)); n != len(mine) {
		t.Fatalf("the first block of %s exports %d things, not %d", document, n, len(mine))
	}
	blocks[0].script = pasted.ReplaceAllStringFunc(blocks[0].script, func(line string) string {
		name := pasted.FindStringSubmatch(line)[1]
		if mine[name] == "" {
			t.Fatalf("the first block of %s exports %s", document, name)
		}
		return "export " + name + "='" + mine[name] + "'"
	})
	// The reader's checkout, which the tour must leave as it was, and where the state of their terminal lies.
	checkout, terminal := t.TempDir(), t.TempDir()
	state, where := filepath.Join(terminal, "state"), filepath.Join(terminal, "where")
	for path, text := range map[string]string{state: "", where: checkout} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for i, b := range blocks {
		if i > 0 && len(b.shown) == 0 {
			t.Fatalf("%s line %d: the block does not show any of what it prints", document, b.line)
		}
		if slices.ContainsFunc(b.shown, func(f string) bool { return strings.Count(f, `"`)%2 != 0 }) {
			t.Fatalf("%s line %d: an open quote in a comment hangs a terminal that takes no comments", document, b.line)
		}
		// Variables and the folder live on in the next block, as they do in a terminal.
		cmd := exec.CommandContext(ctx, "bash", "-c", "set -aeu -o pipefail\ncd \"$(cat "+where+")\"\n. "+state+"\n"+
			b.script+"\nexport -p > "+state+"\npwd > "+where+"\n")
		cmd.Dir, cmd.Env = checkout, append(os.Environ(), "TMPDIR="+terminal)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s line %d: %v\n%s\nprinted:\n%s\n%s", document, b.line, err, b.script, out.String(),
				errs.String())
		}
		if f, gone := missing(out.String(), b.shown); gone {
			t.Fatalf("%s line %d: the output lacks %q (or it stands before an earlier one)\n%s\nprinted:\n%s", document,
				b.line, f, b.script, out.String())
		}
	}
	left, err := os.ReadDir(checkout)
	if err != nil || len(left) > 0 {
		t.Errorf("%s leaves %v in the checkout, %v", document, left, err)
	}
	if now, err := os.ReadFile(where); err != nil || strings.TrimSpace(string(now)) != checkout {
		t.Errorf("%s ends in %s, %v", document, now, err)
	}
}

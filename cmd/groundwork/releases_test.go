package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"

	"groundwork/internal/await"
	"groundwork/internal/draft"
	"groundwork/internal/pgtest"
)

var update = flag.Bool("update", false, "keep an installation of each released version that has none in testdata/releases")

// releases holds installations as released versions left them, on both engines, with what they told then.
const releases = "../../testdata/releases"

// Inside of an archive: the data folder of an engine, what the version told of it, and the dump of the database.
const (
	toldFile = "told.json"
	dumpFile = "postgres.sql"
	dataPart = "data/"
)

// releasedVersion is the heading of a version that was cut.
var releasedVersion = regexp.MustCompile(`(?m)^## \[([0-9]+\.[0-9]+\.[0-9]+)\]`)

// TestReleases starts this program on an installation of every version that was released: nothing is lost, and all that
// was told is still told.
func TestReleases(t *testing.T) {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range releasedVersion.FindAllSubmatch(changes, -1) {
		version := string(found[1])
		t.Run(version, func(t *testing.T) {
			places(t, func(t *testing.T, p place) {
				archive := filepath.Join(releases, version, filepath.Base(t.Name())+".tar.zst")
				if _, err := os.Stat(archive); errors.Is(err, fs.ErrNotExist) && *update {
					keepRelease(t, p, archive)
					return
				}
				upgradeRelease(t, p, archive)
			})
		})
	}
}

// asked are the paths that are compared; each begins with that of the project.
var asked = []string{
	"", "/issues", "/issue_lists", "/rfis", "/rfis/statuses", "/sheets", "/version_sets", "/users", "/roles", "/photos",
	"/attachments", "/field_reports", "/changes?from=0",
}

// keepRelease makes a small installation and keeps it as it lies on the disk.
func keepRelease(t *testing.T, p place, archive string) {
	t.Helper()
	var drawing bytes.Buffer
	if _, err := draft.Write(&drawing, draft.Options{Seed: 5, Sheets: 1, Plain: true}); err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(t.TempDir(), "plan.pdf")
	if err := os.WriteFile(plan, drawing.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p)
	key, project := newProject(t, p, s, "ada@example.com")
	root := "/projects/" + project
	issue := s.create(t, key, root+"/issues", `{"title":"Handrail loose"}`)
	s.create(t, key, root+"/issues/"+issue+"/comments", `{"text":"On both sides."}`)
	s.create(t, key, root+"/rfis", `{"title":"Which primer?","question":"For the handrail."}`)
	s.create(t, key, root+"/users/invites", `{"email":"ivy@example.com"}`)
	works(t, p, "", "sheets", "upload", "--email", "ada@example.com", "--project", project, "--version", "Issue 1", plan)
	await.True(t, time.Minute, "the drawing is cut", func() bool {
		_, text := s.get(t, key, root+"/sheets")
		return strings.Contains(text, "/tiles/")
	})
	told, err := json.MarshalIndent(tellRelease(t, s, key, root), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if s.stop(t) != 0 {
		t.Fatalf("the server failed: %s", s.errs)
	}
	parts := map[string][]byte{toldFile: told}
	if url := p.database(); url != "" {
		// Walls that bind the owner too would leave the dump empty; each start builds them anew.
		onDatabase(t, url, `DO $$ DECLARE one regclass; BEGIN
			FOR one IN SELECT oid FROM pg_class WHERE relforcerowsecurity LOOP
				EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', one);
			END LOOP; END $$`)
		dump := exec.CommandContext(t.Context(), pgtest.Program(t, "pg_dump"), "--inserts", "--no-owner",
			"--no-privileges", "--dbname", url)
		dump.Stderr = t.Output()
		if parts[dumpFile], err = dump.Output(); err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(p.folder(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(p.folder(), path)
		if err != nil {
			return err
		}
		parts[dataPart+filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	packRelease(t, archive, parts)
}

// upgradeRelease starts this program on what a version left, and compares what it tells.
func upgradeRelease(t *testing.T, p place, archive string) {
	t.Helper()
	parts := unpackRelease(t, archive)
	for name, content := range parts {
		inner, is := strings.CutPrefix(name, dataPart)
		if !is {
			continue
		}
		path := filepath.Join(p.folder(), filepath.FromSlash(inner))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if url := p.database(); url != "" {
		loadDump(t, url, string(parts[dumpFile]))
	}
	var told map[string]any
	if err := json.Unmarshal(parts[toldFile], &told); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p)
	key := createKey(t, p, "ada@example.com")
	_, list := s.get(t, key, "/projects")
	root := "/projects/" + regexp.MustCompile(`"uid":"([^"]+)"`).FindStringSubmatch(list)[1]
	for path, then := range told {
		if lost := missing(then, tellOne(t, s, key, root+path), path); lost != "" {
			t.Errorf("since the upgrade %s", lost)
		}
	}
	if status, text := s.get(t, key, root+"/sheets"); status != http.StatusOK || !strings.Contains(text, `"name"`) {
		t.Errorf("the sheets: %d %s", status, text)
	}
	if s.create(t, key, root+"/issues", `{"title":"After the upgrade"}`) == "" {
		t.Error("nothing can be written")
	}
	if s.stop(t) != 0 {
		t.Fatalf("the server failed: %s", s.errs)
	}
	if r := command(t, p, "", "doctor", "--verify", "--files"); r.exit != 0 {
		t.Errorf("doctor: %s%s", r.out, r.err)
	}
}

// tellRelease is what an installation tells of a project.
func tellRelease(t *testing.T, s *server, key, root string) map[string]any {
	t.Helper()
	told := map[string]any{}
	for _, path := range asked {
		told[path] = tellOne(t, s, key, root+path)
	}
	return told
}

func tellOne(t *testing.T, s *server, key, path string) any {
	t.Helper()
	status, text := s.get(t, key, path)
	var told any
	if err := json.Unmarshal([]byte(text), &told); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, status, text)
	}
	return told
}

// missing says what was told then and is not now. What came since is fine; addresses have another host and end.
func missing(then, now any, at string) string {
	switch then := then.(type) {
	case map[string]any:
		now, is := now.(map[string]any)
		if !is {
			return fmt.Sprintf("%s is %v, and was %v", at, now, then)
		}
		for name, value := range then {
			if lost := missing(value, now[name], at+"."+name); lost != "" {
				return lost
			}
		}
	case []any:
		now, is := now.([]any)
		if !is || len(now) < len(then) {
			return fmt.Sprintf("%s is %v, and was %v", at, now, then)
		}
		for i, value := range then {
			if lost := missing(value, now[i], fmt.Sprintf("%s[%d]", at, i)); lost != "" {
				return lost
			}
		}
	case string:
		if now != then && !(strings.HasPrefix(then, "http") && now != nil) {
			return fmt.Sprintf("%s is %v, and was %v", at, now, then)
		}
	default:
		if now != then {
			return fmt.Sprintf("%s is %v, and was %v", at, now, then)
		}
	}
	return ""
}

// loadDump runs what pg_dump wrote, but for what is meant for its own reader.
func loadDump(t *testing.T, url, dump string) {
	t.Helper()
	var sql strings.Builder
	sql.WriteString("SET check_function_bodies = off;\n") // functions come before the tables that they read
	for line := range strings.Lines(dump) {
		if !strings.HasPrefix(line, `\`) && !strings.HasPrefix(line, "SET ") &&
			!strings.HasPrefix(line, "CREATE SCHEMA public") {
			sql.WriteString(line)
		}
	}
	onDatabase(t, url, sql.String())
}

// onDatabase runs statements.
func onDatabase(t *testing.T, url, sql string) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if _, err := db.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

func packRelease(t *testing.T, path string, parts map[string][]byte) {
	t.Helper()
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for name, content := range parts {
		header := tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))}
		if err := w.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close(), os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, packed.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s has %d bytes", path, packed.Len())
}

func unpackRelease(t *testing.T, path string) map[string][]byte {
	t.Helper()
	packed, err := os.Open(path)
	if err != nil {
		t.Fatalf("Of a version that was released an installation is kept; make it with that program: "+
			"go run ./scripts/test -run TestReleases ./cmd/groundwork -update: %v", err)
	}
	defer packed.Close()
	z, err := zstd.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	parts := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		if parts[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// ground is an installation of the service with one project. Copies of its folder are installations of the same
// contents.
type ground struct {
	r        *rig
	program  string
	data     string
	database string // a URL, for a database server
	key      string
	project  string // path of the project
	people   []string
	list     string
	pad      int      // length of an issue's description
	size     int      // bytes of an issue in a response
	uids     []string // of issues, spread over all
	half     string   // the clock when half of the issues were there
	issues   int
	rfis     int
	comments int
	stocked  int // files
}

const (
	people  = 20
	size    = 1500 // bytes that an issue in a response has at least
	samples = 10000
)

// headers are the header lines that every request of the service has.
func (g *ground) headers() string {
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(g.key+":")) + "\r\n"
}

func (g *ground) place() []string {
	place := []string{"--data", g.data, "--log-level", "warn"}
	if g.database != "" {
		place = append(place, "--database-url", g.database)
	}
	return place
}

func (g *ground) command(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, g.program, append(args, g.place()...)...)
	cmd.Env, cmd.Stdin = []string{"HOME=" + g.r.folder}, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("groundwork %s: %w %s", args[0], err, &errs)
	}
	return strings.TrimSpace(out.String()), nil
}

// newGround makes an installation with an account and a key whose three limits are looked at and never reached.
func (r *rig) newGround(ctx context.Context, name, database string) (*ground, error) {
	g := &ground{r: r, program: r.program, data: filepath.Join(r.folder, name), database: database}
	if _, err := g.command(ctx, "a crane over the harbour at dawn\n", "account", "create", "--email",
		"person00@example.com", "--name", "Person Zero", "--password-stdin"); err != nil {
		return nil, err
	}
	key, err := g.command(ctx, "", "key", "create", "--email", "person00@example.com",
		"--limit", "all/1=10000000", "--limit", "all/360=1000000000", "--limit", "write/360=1000000000")
	g.key = key
	return g, err
}

// serve starts the installation; it is up when it has answered the first page of the project, if there is one.
func (g *ground) serve(ctx context.Context, name string, env []string, more ...string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &server{name: name, address: address, secure: len(more) > 0}
	first := appendRequest(nil, "GET", "/healthz", "", nil)
	if g.project != "" {
		first = g.page("")(nil, nil)
	}
	args := append([]string{"serve", "--listen", address}, g.place()...)
	return s, g.r.start(ctx, s, first, env, g.program, append(args, more...)...)
}

// make sends one write while the project is set up and gives the uid that it made.
func (g *ground) make(s *server, path string, body any) (string, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	w, status, err := s.ask(appendRequest(nil, "POST", path, g.headers(), text))
	if err != nil {
		return "", err
	}
	uid, found := uidOf(w.body)
	if status != 201 || !found {
		return "", fmt.Errorf("POST %s: %d %.300s", path, status, w.body)
	}
	return uid, nil
}

// uidOf reads the uid with which every record begins.
func uidOf(body []byte) (string, bool) {
	rest, found := bytes.CutPrefix(body, []byte(`{"uid":"`))
	end := bytes.IndexByte(rest, '"')
	if !found || end < 0 {
		return "", false
	}
	return string(rest[:end]), true
}

// found makes the project, its people and its list, and finds how long a description makes an issue as long as it shall
// be.
func (g *ground) found(s *server) error {
	uid, err := g.make(s, "/projects", map[string]any{"name": "Harbour Tower"})
	if err != nil {
		return err
	}
	g.project = "/projects/" + uid
	for i := range people {
		one, err := g.make(s, g.project+"/users/invites", map[string]any{"email": fmt.Sprintf("person%02d@example.com",
			i+1), "first_name": "Person", "last_name": fmt.Sprintf("Number %02d", i+1)})
		if err != nil {
			return err
		}
		g.people = append(g.people, one)
	}
	if g.list, err = g.make(s, g.project+"/issue_lists", map[string]any{"name": "Punch list"}); err != nil {
		return err
	}
	w, status, err := s.ask(g.create(nil, nil))
	if err != nil {
		return err
	}
	if status != 201 {
		return fmt.Errorf("the first issue: %d %s", status, w.body)
	}
	g.pad, g.size, g.issues = max(0, size-len(w.body)), max(size, len(w.body)), 1
	return nil
}

// fill makes issues until there are n, over 64 connections, and remembers every so many of their uids.
func (g *ground) fill(ctx context.Context, s *server, n, every int) error {
	uids, err := g.pour(ctx, s, g.issues, n, every, g.issue)
	g.uids = append(g.uids, uids...)
	g.issues = n
	return err
}

// pour sends what makes the records after one number up to another, and gives every so many of their uids.
func (g *ground) pour(ctx context.Context, s *server, after, n, every int,
	request func(buf []byte, at int, chance *rand.Rand) []byte,
) ([]string, error) {
	const lines = 64
	var next atomic.Int64
	next.Store(int64(after))
	uids := make([][]string, lines)
	err := s.lines(lines, func(i int, w *wire) error {
		chance := rand.New(rand.NewPCG(uint64(i), 1))
		var buf []byte
		for at := int(next.Add(1)); at <= n; at = int(next.Add(1)) {
			buf = request(buf[:0], at, chance)
			status, err := w.do(buf, at%every == 0)
			if err != nil {
				return err
			}
			if status != 201 {
				return unexpected(s, buf, status)
			}
			if at%every == 0 {
				uid, _ := uidOf(w.body)
				uids[i] = append(uids[i], uid)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		return nil
	})
	return slices.Concat(uids...), err
}

// talk makes RFIs and comments on them, a tenth and a fifth as many as there are issues, with the texts of the
// demonstration.
func (g *ground) talk(ctx context.Context, s *server) error {
	g.rfis, g.comments = g.issues/10, g.issues/5
	write := func(kind string, n int) ([][]byte, error) {
		text, err := exec.CommandContext(ctx, g.r.tool("bodies"), kind, strconv.Itoa(n)).Output()
		return bytes.Split(bytes.TrimSpace(text), []byte("\n")), err
	}
	questions, err := write("rfis", g.rfis)
	if err != nil {
		return err
	}
	said, err := write("comments", g.comments)
	if err != nil {
		return err
	}
	uids, err := g.pour(ctx, s, 0, g.rfis, max(1, g.rfis/1000), func(buf []byte, at int, _ *rand.Rand) []byte {
		return appendRequest(buf, "POST", g.project+"/rfis", g.headers(), questions[at-1])
	})
	if err != nil {
		return err
	}
	_, err = g.pour(ctx, s, 0, g.comments, g.comments, func(buf []byte, at int, _ *rand.Rand) []byte {
		return appendRequest(buf, "POST", g.project+"/rfis/"+uids[at%len(uids)]+"/comments", g.headers(), said[at-1])
	})
	return err
}

// clock is the project's clock as the service tells it with a list.
func (g *ground) clock(s *server) (string, error) {
	w, status, err := s.ask(g.page("?limit=1")(nil, nil))
	if err != nil {
		return "", err
	}
	if status != 200 {
		return "", fmt.Errorf("list: %d", status)
	}
	return w.header("X-Clock"), nil
}

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// start is what somebody has after their first minutes.
type start struct{ address, key, project string }

// begin makes the first account, a key, a project and a drawing, as docs/operating.md says.
func (t *trial) begin(ctx context.Context, address string) (*start, error) {
	uid, err := t.in(ctx, "groundworkctl", "account", "create", "--admin", "--email", "ada@example.com", "--name",
		"Ada Lovelace")
	if err != nil {
		return nil, err
	}
	t.say("the first account: %s", strings.Fields(uid)[0])
	said, err := t.in(ctx, "groundworkctl", "ready")
	if err != nil {
		return nil, err
	}
	if err := expect("its health", said, "ready at "+address); err != nil {
		return nil, err
	}
	t.say("%s", said)
	key, err := t.in(ctx, "groundworkctl", "key", "create", "--email", "ada@example.com", "--name", "trial", "--limit",
		"all/1=100000")
	if err != nil {
		return nil, err
	}
	s := &start{address: address, key: key}
	l := &load{base: "http://" + address, key: key, client: &http.Client{Timeout: within}}
	defer l.client.CloseIdleConnections()
	var made struct{ UID string }
	if err := l.ask(ctx, http.MethodPost, "/projects", `{"name":"Bridge"}`, &made); err != nil {
		return nil, err
	}
	s.project = made.UID
	return s, t.draw(ctx, s, l)
}

// draw uploads a drawing and sees that it is a sheet.
func (t *trial) draw(ctx context.Context, s *start, l *load) error {
	const inner = "/tmp/plan.pdf"
	if err := os.WriteFile(filepath.Join(t.root, inner), plan(), 0o644); err != nil {
		return err
	}
	said, err := t.in(ctx, "groundworkctl", "sheets", "upload", inner, "--email", "ada@example.com", "--project",
		s.project, "--version", "Issued for construction")
	if err != nil {
		return err
	}
	var sheets struct {
		Data []struct{ Name string }
	}
	if err := l.ask(ctx, http.MethodGet, "/projects/"+s.project+"/sheets", "", &sheets); err != nil {
		return err
	}
	if len(sheets.Data) != 1 || sheets.Data[0].Name != "A-101" {
		return fmt.Errorf("the sheets are %+v after the upload said:\n%s", sheets.Data, said)
	}
	t.say("the first drawing: sheet %s is published", sheets.Data[0].Name)
	return nil
}

// plan is a drawing of one page with a title block.
func plan() []byte {
	const content = "2 w 60 60 2264 1564 re S 1800 60 524 300 re S 200 200 1400 1200 re S\n" +
		"BT /F 24 Tf 1820 310 Td (GROUND FLOOR PLAN) Tj ET\n" +
		"BT /F 14 Tf 1820 200 Td (SHEET NUMBER) Tj ET\n" +
		"BT /F 60 Tf 1820 120 Td (A-101) Tj ET\n"
	var out strings.Builder
	var offsets []int
	out.WriteString("%PDF-1.4\n")
	for i, object := range []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 2384 1684]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%sendstream", len(content), content),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	} {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return []byte(out.String())
}

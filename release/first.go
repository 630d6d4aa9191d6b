package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// start is what somebody has after their first minutes.
type start struct{ address, key, project string }

// begin makes the first account, a project and a drawing in a browser, as docs/operating.md says, and a key.
func (t *trial) begin(ctx context.Context, server *server) (*start, error) {
	said, err := t.in(ctx, "groundworkctl", "ready")
	if err != nil {
		return nil, err
	}
	if err := expect("its health", said, "ready at "+server.address); err != nil {
		return nil, err
	}
	t.say("%s", said)
	code := firstCode.FindString(server.printed.String())
	if code == "" {
		return nil, fmt.Errorf("no code for the first account is printed:\n%s", server.printed)
	}
	drawing := filepath.Join(t.root, "tmp/plan.pdf")
	if err := os.WriteFile(drawing, plan(), 0o644); err != nil {
		return nil, err
	}
	screen, shut, err := openScreen(ctx, t.root+"-browser")
	if err != nil {
		return nil, err
	}
	defer shut()
	s := &start{address: server.address}
	if s.project, err = screen.firstMinutes(server.address, code, drawing, t.picture, t.say); err != nil {
		return nil, err
	}
	s.key, err = t.in(ctx, "groundworkctl", "key", "create", "--email", "ada@example.com", "--name", "trial", "--limit",
		"all/1=100000")
	return s, err
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

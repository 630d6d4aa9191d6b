package demo

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"groundwork/internal/draft"
)

// sets are the sets of drawings, the later one with the changes of a bulletin.
var sets = []string{"Issued for construction", "Bulletin 2"}

// sheet is a sheet as the API shows it, as far as is needed here.
type sheet struct {
	UID          string `json:"uid"`
	Name         string `json:"name"`
	Description  string `json:"description"`
	ThumbnailURL string `json:"thumbnail_url"`
}

// makeSheets draws the sets, has them read and published, and marks on the plans of each where some issues are.
func (s *Site) makeSheets(ctx context.Context) {
	for revision, version := range sets {
		plans := map[string]*sheet{}
		for _, sh := range s.publish(ctx, version, revision) {
			if plan, ok := strings.CutSuffix(strings.ToUpper(sh.Description), " PLAN"); ok &&
				strings.HasPrefix(plan, "LEVEL ") {
				plans[plan] = &sh
			}
		}
		s.say("sheets", (revision+1)*s.Sheets)
		for i := 1 + 2*revision; i < len(s.issues); i += 5 {
			if on := plans["LEVEL "+strconv.Itoa(s.issues[i].level)]; on != nil {
				s.pin(ctx, on, &s.issues[i])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(plans)) {
			s.mark(ctx, plans[name], revision)
		}
	}
	s.say("annotations", s.marks)
}

// publish uploads a set, waits until it was read, and gives its sheets; one that an earlier making uploaded is there
// already.
func (s *Site) publish(ctx context.Context, version string, revision int) []sheet {
	uid, had := s.had(ctx, "version_sets", "version_name")[version]
	if !had {
		uid = s.uploadSet(ctx, version, revision)
	}
	var upload struct {
		Processing struct {
			Status    string `json:"status"`
			Published bool   `json:"published"`
		} `json:"processing"`
	}
	for s.err == nil {
		s.call(ctx, manager, http.MethodGet, s.in("sheets", "uploads", uid), nil, &upload)
		if upload.Processing.Published {
			break
		}
		if upload.Processing.Status == "errored" && s.err == nil {
			s.err = fmt.Errorf("the drawings %s could not be read", version)
		}
		select {
		case <-ctx.Done():
			s.err = ctx.Err()
		case <-time.After(lookEvery):
		}
	}
	var page struct {
		Data []sheet `json:"data"`
	}
	s.call(ctx, manager, http.MethodGet, s.in("sheets")+"?version_set="+uid, nil, &page)
	return page.Data
}

// lookEvery is how often is looked whether drawings were read.
const lookEvery = 200 * time.Millisecond

func (s *Site) uploadSet(ctx context.Context, version string, revision int) string {
	var set struct {
		UID   string `json:"uid"`
		Files []struct {
			URL string `json:"url"`
		} `json:"file_upload_requests"`
	}
	s.keyless(ctx, manager, http.MethodPost, s.in("sheets", "uploads"), map[string]any{
		"num_files": 1, "version_name": version,
	}, &set)
	if s.err != nil {
		return ""
	}
	name := strings.ReplaceAll(version, " ", "-") + ".pdf"
	var o offer
	s.keyless(ctx, manager, http.MethodPost, s.local(set.Files[0].URL), map[string]any{"file_name": name}, &o)
	s.send(ctx, &o, name, func() ([]byte, error) {
		var file bytes.Buffer
		_, err := draft.Write(&file, draft.Options{Seed: drawings, Sheets: s.Sheets, Revision: revision, Plain: true})
		return file.Bytes(), err
	})
	s.keyless(ctx, manager, http.MethodPost, s.in("sheets", "uploads", set.UID, "completions"), nil, nil)
	return set.UID
}

// stamps and colours tell the lists of the issues apart.
var (
	stamps  = []string{"P1", "P2", "ME", "EN", "SA", "OW"}
	colours = []string{"#D0021B", "#D0021B", "#2F80ED", "#8B572A", "#F5A623", "#7B1FA2"}
)

// pin shows on a plan where an issue is: by the name of the room, where the plan has it.
func (s *Site) pin(ctx context.Context, on *sheet, i *made) {
	word, _, _ := strings.Cut(i.room, " ")
	at := point{.12 + .55*s.m.chance.Float64(), .2 + .5*s.m.chance.Float64()}
	if places := s.places(ctx, on, word); len(places) > 0 {
		at = pick(s.m, places)
		at.X, at.Y = at.X+.02*s.m.chance.Float64(), at.Y+.02*s.m.chance.Float64()
	}
	s.annotate(ctx, manager, map[string]any{
		"sheet_uid": on.UID, "issue_uid": i.uid, "kind": "stamp", "stamp": stamps[i.list], "color": colours[i.list],
		"visibility": "master", "geometry": geometry(at),
	})
}

func (s *Site) annotate(ctx context.Context, as int, body map[string]any) {
	s.marks++
	s.make(ctx, as, s.in("annotations"), body)
}

// point is a place on a sheet.
type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

func geometry(points ...point) map[string]any {
	for i := range points {
		points[i] = point{min(1, points[i].X), min(1, points[i].Y)}
	}
	return map[string]any{"points": points}
}

// planEnds is how far to the right a plan reaches on its sheet.
const planEnds = .72

// places are where a word stands on a plan.
func (s *Site) places(ctx context.Context, on *sheet, word string) []point {
	var page struct {
		Data []struct {
			X0 float64 `json:"x0"`
			Y1 float64 `json:"y1"`
		} `json:"data"`
	}
	s.call(ctx, manager, http.MethodGet, s.in("sheets", on.UID, "text")+"?q="+url.QueryEscape(word), nil, &page)
	var found []point
	for _, p := range page.Data {
		if p.X0 < planEnds { // beside it are the notes and the title block
			found = append(found, point{p.X0, p.Y1})
		}
	}
	return found
}

// mark has people draw on a plan, for all and for themselves, talk about it, and take a picture of it for an RFI.
func (s *Site) mark(ctx context.Context, on *sheet, revision int) {
	draw := func(as int, kind, visibility, text string, at ...point) {
		s.annotate(ctx, as, map[string]any{
			"sheet_uid": on.UID, "kind": kind, "visibility": visibility, "text": text, "color": "#D0021B",
			"geometry": geometry(at...),
		})
	}
	draw(architect, "cloud", "master", "Wall moved 8\", see the bulletin.", point{.31, .36}, point{.42, .47})
	draw(architect, "text", "master", "Hold for RFI 2", point{.31, .34})
	draw(superintendent, "rectangle", "master", "Area closed until the slab has cured", point{.52, .55},
		point{.66, .68})
	draw(manager, "highlight", "user", "Ask about the delivery through this door", point{.18, .6}, point{.25, .63})
	draw(foreman, "pen", "user", "My crew starts here", point{.6, .3}, point{.62, .33}, point{.65, .31})
	s.make(ctx, superintendent, s.in("sheets", on.UID, "comments"), map[string]any{"text": []string{
		"Dimension string at grid 4 does not add up by 2\". RFI to follow.",
		"The bulletin answers the question about grid 4. Thank you.",
	}[revision]})
	title := on.Name + " as marked, " + sets[revision]
	if s.err != nil {
		return
	}
	uid, ok := s.had(ctx, "snapshots", "title")[title]
	if !ok {
		uid = s.upload(ctx, superintendent, s.in("snapshots", "uploads"), map[string]any{
			"content_type": "image/jpeg", "title": title, "sheet_uid": on.UID,
		}, title+".jpg", func() ([]byte, error) {
			status, picture := s.ask(ctx, http.MethodGet, s.local(on.ThumbnailURL), http.Header{}, http.NoBody)
			if status != http.StatusOK {
				return nil, fmt.Errorf("the picture of sheet %s: %d", on.Name, status)
			}
			return picture, nil
		})
	}
	s.link(ctx, manager, s.in("rfis", s.rfis[1+revision].uid), "snapshots", "snapshot_uid", uid)
}

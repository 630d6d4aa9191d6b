package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Made is what became of an export.
type Made struct {
	Records, Changes, Files, Bytes int64
	// Lost are the files that the file store does not have whole, with the reason.
	Lost []string
}

// Export writes the archive of a project as it is now, while others go on writing: everything that was acknowledged
// before is in it, personal marks of all members too. Progress is told in percent. fault.NotFound for an unknown
// project.
func Export(ctx context.Context, from Site, project string, to io.Writer, progress func(percent int)) (Made, error) {
	return export(ctx, from, project, nil, to, progress)
}

// ExportFor is Export for a member of the team: of what others keep for themselves it says only that it was there.
func ExportFor(ctx context.Context, from Site, who auth.Scope, to io.Writer, progress func(percent int)) (Made, error) {
	return export(ctx, from, who.Project().UID, &who, to, progress)
}

func export(ctx context.Context, from Site, project string, who *auth.Scope, to io.Writer,
	progress func(percent int),
) (Made, error) {
	e := &exporter{
		Site: from, register: newRegister(from.Kinds, project), w: newWriter(to), progress: progress, who: who,
		veiled: map[store.ID]bool{},
	}
	if err := e.rows(ctx); err != nil {
		return e.made, err
	}
	if err := e.copyFiles(ctx); err != nil {
		return e.made, err
	}
	return e.made, e.finish()
}

// exporter is an export on its way.
type exporter struct {
	Site
	*register
	w        *writer
	progress func(int)
	snap     *store.Snapshot
	who      *auth.Scope // for whom it is; nil for the operator, who has everything
	veiled   map[store.ID]bool
	at       store.Founded
	people   []personLine
	files    []fileLine
	missing  []missing
	made     Made
}

// readShare is the part of the progress, in percent, that reading the database is said to be.
const readShare = 20

// rows reads the rows as of one moment. The snapshot is closed before the files are copied.
func (e *exporter) rows(ctx context.Context) (err error) {
	if e.snap, err = e.Store.Snapshot(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.snap.Close()) }()
	if e.at, err = e.snap.Project(ctx, e.project); err != nil {
		return err
	}
	if err := e.snap.EachUID(ctx, e.at.ID, e.know); err != nil {
		return err
	}
	for i, step := range []func(context.Context) error{
		e.head, e.team, e.records, e.links, e.changes, e.fileRows, e.tables, e.pages,
	} {
		if err := step(ctx); err != nil {
			return err
		}
		e.progress(readShare * (i + 1) / 8)
	}
	return nil
}

// know notes the uid of a record. Ordinals have no gaps.
func (e *exporter) know(id store.ID, uid string) error {
	k := e.byNumber[id.Kind()]
	if k == nil {
		return fmt.Errorf("The project has records of kind %d, which this release does not know.", id.Kind())
	}
	if int(id.Ordinal()) != len(e.uids[k.Number])+1 || !e.add(k.Number, uid) {
		return damaged(k.Plural, uid, errors.New("it is not in the order of its kind"))
	}
	return nil
}

// damaged says that what is stored does not agree with itself.
func damaged(plural, uid string, why error) error {
	return fmt.Errorf("%s/%s cannot be exported: %w. Run groundwork doctor --verify.", plural, uid, why)
}

func (e *exporter) head(context.Context) error {
	if err := e.w.whole(readmeEntry, readme); err != nil {
		return err
	}
	if err := e.w.whole(schemaEntry, schema); err != nil {
		return err
	}
	text, err := json.Marshal(projectLine{e.at.UID, moment(e.at.Clock), e.at.Seq}, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return e.w.whole(projectEntry, append(text, '\n'))
}

const shownAccount = "SELECT email, first_name, last_name, language, company, title FROM accounts WHERE uid = $1"

// team writes the people as the project shows them: whoever has come by their account, others by what is kept of them.
func (e *exporter) team(ctx context.Context) error {
	var kept [][]byte
	err := e.snap.EachRecord(ctx, e.at.ID, auth.KindMember, func(row store.Row) error {
		e.people, kept = append(e.people, personLine{UID: row.UID}), append(kept, row.Private)
		return nil
	})
	for i := range e.people {
		if err != nil {
			return err
		}
		p := &e.people[i]
		shown, problem := identity.KeptAs(kept[i])
		if problem != nil {
			return damaged("users", p.UID, problem)
		}
		if shown != nil {
			p.Shown = *shown
			continue
		}
		err = e.snap.Query(ctx, shownAccount, []any{p.UID}, func(c *store.Cols) error {
			p.Shown = identity.Shown{
				Email: c.Text(0), FirstName: optional(c, 1), LastName: optional(c, 2), Language: optional(c, 3),
				Company: optional(c, 4), Title: optional(c, 5),
			}
			return nil
		})
		if err == nil && p.Email == "" {
			err = damaged("users", p.UID, errors.New("there is no account"))
		}
	}
	if err == nil {
		err = e.w.begin(peopleEntry)
	}
	for i := range e.people {
		if err == nil {
			err = e.w.value(e.people[i])
		}
	}
	return errors.Join(err, e.w.end(true))
}

func optional(c *store.Cols, i int) *string {
	if c.Null(i) {
		return nil
	}
	text := c.Text(i)
	return &text
}

func (e *exporter) records(ctx context.Context) error {
	for i := range e.kinds {
		k := &e.kinds[i]
		if len(e.uids[k.Number]) == 0 {
			continue
		}
		if err := e.w.begin(recordsFolder + k.Plural + lines); err != nil {
			return err
		}
		err := e.eachRecord(ctx, k, func(row store.Row) error {
			doc, err := e.outward(k, row.ID.Ordinal(), row.Clock, row.Doc)
			if err != nil {
				return damaged(k.Plural, row.UID, err)
			}
			e.made.Records++
			return e.w.line(recordLine(k, row, doc))
		})
		if err = errors.Join(err, e.w.end(true)); err != nil {
			return err
		}
	}
	return nil
}

// eachRecord gives the records of a kind as whom the archive is for may have them.
func (e *exporter) eachRecord(ctx context.Context, k *resource.Declared, each func(store.Row) error) error {
	return e.snap.EachRecord(ctx, e.at.ID, k.Number, func(row store.Row) error {
		if e.who == nil {
			return each(row)
		}
		seen, veiled, err := k.SeenBy(*e.who, row)
		if err != nil {
			return damaged(k.Plural, row.UID, err)
		}
		if veiled {
			e.veiled[row.ID] = true
		}
		return each(seen)
	})
}

// recordLine is the line of a record. What is kept with a member of the team is in people.jsonl.
func recordLine(k *resource.Declared, row store.Row, doc []byte) []byte {
	line := append(document.AppendStamp([]byte(`{"updated_at":`), row.Clock), `,"version":`...)
	line = append(strconv.AppendInt(line, int64(row.Version), 10), `,"private":`...)
	if row.Private == nil || k.Number == auth.KindMember {
		line = append(line, "null"...)
	} else {
		line = document.AppendText(line, string(row.Private))
	}
	line = append(append(line, `,"record":`...), doc...)
	return append(line, '}')
}

func (e *exporter) each(ctx context.Context, table string, each func(store.Table, *store.Cols) error) error {
	t, err := e.snap.Table(table)
	if err != nil {
		return err
	}
	return e.snap.EachOf(ctx, t, e.at.ID, func(c *store.Cols) error { return each(t, c) })
}

func (e *exporter) links(ctx context.Context) error {
	if err := e.w.begin(linksEntry); err != nil {
		return err
	}
	err := e.each(ctx, "links", func(t store.Table, c *store.Cols) error {
		owner := store.ID(c.Int(t.Index("owner")))
		from, err := e.path(owner)
		if err != nil {
			return err
		}
		target, err := e.path(store.ID(c.Int(t.Index("target"))))
		if err != nil {
			return err
		}
		slot, collections := int(c.Int(t.Index("field"))), e.byNumber[owner.Kind()].Collections
		if slot >= len(collections) {
			return damaged("links", from, errors.New("its kind has no such collection"))
		}
		return e.w.value(linkLine{from, collections[slot], target, moment(c.Int(t.Index("place")))})
	})
	return errors.Join(err, e.w.end(true))
}

// changes writes the log. Lines are put together by hand: their values are parts of documents.
func (e *exporter) changes(ctx context.Context) error {
	if err := e.w.begin(changesEntry); err != nil {
		return err
	}
	err := e.each(ctx, "changes", func(t store.Table, c *store.Cols) error {
		id := store.ID(c.Int(t.Index("record")))
		seq := c.Int(t.Index("id")) & store.MostSeq
		path, err := e.path(id)
		if err != nil {
			return damaged("changes", fmt.Sprint(seq), err)
		}
		clock := c.Int(t.Index("clock"))
		line := append(strconv.AppendInt([]byte(`{"sequence":`), seq, 10), `,"record":`...)
		line = append(document.AppendText(line, path), `,"at":`...)
		line = append(document.AppendStamp(line, clock), `,"did":`...)
		line = append(document.AppendText(line, ops[store.Op(c.Int(t.Index("op")))]), `,"by":`...)
		if actor := c.Int(t.Index("actor")); actor == 0 || e.veiled[id] {
			line = append(line, "null"...)
		} else if uid, ok := e.uid(auth.KindMember, uint32(actor)); ok {
			line = document.AppendText(line, uid)
		} else {
			return damaged("changes", fmt.Sprint(seq), errors.New("it is by nobody on the team"))
		}
		line = append(line, `,"fields":`...)
		if diff := t.Index("diff"); c.Null(diff) || e.veiled[id] {
			line = append(line, "null"...)
		} else {
			text, err := e.outward(e.byNumber[id.Kind()], id.Ordinal(), clock, c.Bytes(diff))
			if err != nil {
				return damaged("changes", fmt.Sprint(seq), err)
			}
			line = append(line, text...)
		}
		line = append(line, `,"terms_before":`...)
		if was := t.Index("was"); c.Null(was) || e.veiled[id] {
			line = append(line, "null"...)
		} else {
			line = document.AppendText(line, c.Text(was))
		}
		e.made.Changes++
		return e.w.line(append(line, '}'))
	})
	return errors.Join(err, e.w.end(true))
}

// fileRows notes the files. They are written once it is known which are there.
func (e *exporter) fileRows(ctx context.Context) error {
	return e.each(ctx, "files", func(t store.Table, c *store.Cols) error {
		f := fileLine{
			Object: c.Text(t.Index("object")), Type: c.Text(t.Index("type")), Name: c.Text(t.Index("name")),
			Bytes: c.Int(t.Index("size")), SHA256: c.Text(t.Index("sha256")), CreatedAt: moment(c.Int(t.Index("created_at"))),
		}
		id := store.ID(c.Int(t.Index("record")))
		if e.veiled[id] {
			return nil
		}
		if id != 0 {
			path, err := e.path(id)
			if err != nil {
				return damaged("files", f.Object, err)
			}
			f.Record = &path
		}
		if f.MadeAgain = e.remade[f.Object]; !f.MadeAgain {
			path := pathOf(f.Object, f.Type)
			f.Path = &path
		}
		e.files = append(e.files, f)
		return nil
	})
}

func (e *exporter) tables(ctx context.Context) error {
	for _, side := range e.Sides {
		if err := e.w.begin(tablesFolder + side.Table + lines); err != nil {
			return err
		}
		err := e.each(ctx, side.Table, func(t store.Table, c *store.Cols) error { return e.row(side, t, c) })
		if err = errors.Join(err, e.w.end(true)); err != nil {
			return err
		}
	}
	return nil
}

// row writes a row of a side table by the names of its columns, but for its project.
func (e *exporter) row(side family.Side, t store.Table, c *store.Cols) error {
	line := []byte{'{'}
	for i, column := range t.Columns {
		if column.Name == projectColumn {
			continue
		}
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = append(document.AppendText(line, column.Name), ':')
		switch {
		case c.Null(i):
			line = append(line, "null"...)
		case column.Name == side.Person:
			uid, ok := e.uid(auth.KindMember, uint32(c.Int(i)))
			if !ok {
				return damaged(t.Name, fmt.Sprint(c.Int(i)), errors.New("it names nobody on the team"))
			}
			line = document.AppendText(line, uid)
		case column.Text:
			line = document.AppendText(line, c.Text(i))
		default:
			line = strconv.AppendInt(line, c.Int(i), 10)
		}
	}
	return e.w.line(append(line, '}'))
}

const projectColumn = "project"

// copyFiles copies the files, each held against its hash. What the file store does not have whole is left out, and
// said.
func (e *exporter) copyFiles(ctx context.Context) error {
	var total, done int64
	for _, f := range e.files {
		total += f.Bytes
	}
	for i := range e.files {
		f := &e.files[i]
		if f.Path == nil {
			continue
		}
		why, err := e.holds(ctx, f)
		if err == nil && why == "" {
			err = e.copyFile(ctx, f)
		}
		if err != nil {
			return err
		}
		if why != "" {
			f.Path = nil
			e.missing = append(e.missing, missing{f.Object, why})
			e.made.Lost = append(e.made.Lost, fmt.Sprintf("the file %s, %q, %s", f.Object, f.Name, why))
		}
		done += f.Bytes
		e.progress(readShare + int((99-readShare)*done/max(total, 1)))
	}
	return nil
}

// holds says why a file cannot be copied; "" where it can. An entry that was begun cannot be taken back, so it is read
// before.
func (e *exporter) holds(ctx context.Context, f *fileLine) (why string, err error) {
	o, err := e.Blobs.Open(ctx, f.Object)
	if fault.Is(err, fault.NotFound) {
		return "is not in the file store", nil
	}
	if err != nil {
		return "", fmt.Errorf("The files cannot be read: %w.", fault.Cause(err))
	}
	sum := sha256.New()
	size, err := io.Copy(sum, o)
	if err = errors.Join(err, o.Close()); err != nil {
		return "", fmt.Errorf("The files cannot be read: %w.", fault.Cause(err))
	}
	if size != f.Bytes || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return "has other bytes than were stored", nil
	}
	return "", nil
}

func (e *exporter) copyFile(ctx context.Context, f *fileLine) error {
	o, err := e.Blobs.Open(ctx, f.Object)
	if err != nil {
		return fmt.Errorf("The files cannot be read: %w.", fault.Cause(err))
	}
	defer o.Close()
	if err := e.w.begin(*f.Path); err != nil {
		return err
	}
	if _, err := io.Copy(e.w, o); err != nil {
		return err
	}
	if err := e.w.end(false); err != nil {
		return err
	}
	e.made.Files++
	e.made.Bytes += f.Bytes
	return nil
}

// leftOut says what the archive does not have.
func (e *exporter) leftOut() string {
	if e.who == nil {
		return leftOut
	}
	return leftOut + leftOutPersonal
}

// finish writes the files' lines and the manifest.
func (e *exporter) finish() error {
	err := e.w.begin(filesEntry)
	for i := range e.files {
		if err == nil {
			err = e.w.value(e.files[i])
		}
	}
	if err = errors.Join(err, e.w.end(true)); err != nil {
		return err
	}
	m := manifest{
		Format: formatName, Version: formatVersion, Project: e.at.UID, Moment: moment(e.at.Clock), Sequence: e.at.Seq,
		Counts: e.w.counts, LeftOut: e.leftOut(), Missing: append([]missing{}, e.missing...),
		Entries: slices.Clone(e.w.entries),
	}
	text, err := json.Marshal(m, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := e.w.whole(manifestEntry, append(text, '\n')); err != nil {
		return err
	}
	e.progress(100)
	return e.w.zip.Close()
}

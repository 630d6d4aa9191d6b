package upload

import (
	"context"
	"crypto/sha256"
	"math"
	"net/url"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

func (d *Desk) storageRoute() api.Route {
	text := api.Schema{"type": "string"}
	return api.Route{
		Method: "POST", Pattern: "/storage/{project}", Access: api.Public, Alone: true, Do: d.receive,
		Summary: "Post a file with the fields of its form, in any order, before it. The answer leads to the completion of the upload.", Tag: "files",
		Takes: "multipart/form-data",
		In: api.Schema{
			"type": "object", "required": []any{"key", "policy", "signature", "file"},
			"properties": api.Schema{
				"key": text, "policy": text, "signature": text, "AWSAccessKeyId": text, "Content-Type": text,
				"success_action_redirect":      text,
				"x-amz-server-side-encryption": text, "x-amz-storage-class": text, "file": api.Schema{
					"type": "string", "contentMediaType": "application/octet-stream",
				},
			},
		},
		Status: 303, Errors: []int{403, 404, 413, 507},
	}
}

// receive takes a file by its form. Each time it comes it lies under another name, and the upload shows the last one
// that came whole.
func (d *Desk) receive(c *api.Call) error {
	ctx := c.Context()
	body, err := c.Stream()
	if err != nil {
		return err
	}
	p, err := c.Store.Project(ctx, c.Param("project"))
	if err != nil {
		return err
	}
	f, err := readForm(c.Header("Content-Type"), body)
	if err != nil {
		return err
	}
	u, room, err := d.admit(c, p, f)
	if err != nil {
		return err
	}
	if err := c.Accept(u.payer(c)); err != nil {
		return err
	}
	if err := fits(c, u); err != nil {
		return err
	}
	in := &content{f, measure{hash: sha256.New(), most: u.most, room: room}}
	object := blob.NewName()
	if _, err := d.Blobs.Put(ctx, object, in); err != nil {
		return err
	}
	sum := in.sum()
	before := ""
	err = c.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		now, err := findUpload(tx.Query, uploadByUID, p.ID, u.Kind, u.UID)
		if err != nil {
			return err
		}
		if now == nil || now.completed() {
			return refused("its upload was completed meanwhile")
		}
		if room, err := d.room(tx.Query, p, u); err != nil {
			return err
		} else if room >= 0 && in.size > room {
			return noRoom()
		}
		before = now.Object
		return tx.Exec(setObject, p.ID, u.Kind, u.UID, object, in.size, sum)
	})
	if err != nil {
		if !fault.Is(err, fault.Unavailable) { // then it may stand
			d.drop(ctx, object)
		}
		return err
	}
	d.drop(ctx, before)
	return c.Redirect(u.webhook(c,
		p) + "?bucket=groundwork&key=" + url.QueryEscape(u.UID) + "&etag=" + url.QueryEscape(`"`+sum+`"`))
}

// payer is the account whose share of uploads this one takes.
func (u *Upload) payer(c *api.Call) string {
	if account, err := c.Auth.Revalidate(c.Context(), u.credential); err == nil {
		return account.Payer()
	}
	return u.account // the credential has ended; the completion will say so
}

// admit says whose form it is and how much room the project has for its file.
func (d *Desk) admit(c *api.Call, p *store.Project, f *form) (*Upload, int64, error) {
	query := reading(c, p)
	key := strings.ToValidUTF8(strings.ReplaceAll(f.fields[fieldKey], "\x00", ""), "")
	var known []*Upload
	err := query(uploadsByUID, []any{p.ID, key}, func(cols *store.Cols) error {
		known = append(known, readUpload(cols))
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	refusal := refused("its key is not known")
	for _, u := range known { // one of each kind; their policies differ
		if refusal = u.verify(c, p, f.fields, c.Store.Now()); refusal == nil {
			room, err := d.room(query, p, u)
			return u, room, err
		}
	}
	return nil, 0, refusal
}

// fits refuses a body that says it is longer than the form admits. It is asked of a form that is known, whose sender
// may listen only at the end.
func fits(c *api.Call, u *Upload) error {
	if c.Length() > u.most+mostHead {
		return tooLong(u.most)
	}
	return nil
}

// querying is how a transaction or the store reads.
type querying func(sql string, args []any, each func(*store.Cols) error) error

// reading reads rows of a project outside of a transaction.
func reading(c *api.Call, p *store.Project) querying {
	return func(sql string, args []any, each func(*store.Cols) error) error {
		return c.Store.QueryIn(c.Context(), p, sql, args, each)
	}
}

func findUpload(query querying, sql string, args ...any) (u *Upload, err error) {
	err = query(sql, args, func(c *store.Cols) error {
		u = readUpload(c)
		return nil
	})
	return u, err
}

// room is how many bytes the project may still take beside what it has, uploaded or made of it, not counting what came
// for one upload; negative is no bound.
func (d *Desk) room(query querying, p *store.Project, but *Upload) (int64, error) {
	if d.Quota == 0 {
		return -1, nil
	}
	left := d.Quota
	take := func(c *store.Cols) error {
		left -= c.Int(0)
		return nil
	}
	if err := query(usedByFiles, []any{p.ID}, take); err != nil {
		return 0, err
	}
	if err := query(usedByUploads, []any{p.ID, but.Kind, but.UID}, take); err != nil {
		return 0, err
	}
	return max(left, 0), nil
}

// Room is how many bytes of files a project may still have.
func (d *Desk) Room(ctx context.Context, s *store.Store, p *store.Project) (int64, error) {
	return counted(d.room(func(sql string, args []any, each func(*store.Cols) error) error {
		return s.QueryIn(ctx, p, sql, args, each)
	}, p, &Upload{}))
}

// RoomIn is the same inside of a transaction of the project.
func (d *Desk) RoomIn(tx *store.Tx) (int64, error) {
	return counted(d.room(tx.Query, tx.Project(), &Upload{}))
}

// counted gives a number to what has no bound.
func counted(room int64, err error) (int64, error) {
	if room < 0 {
		room = math.MaxInt64
	}
	return room, err
}

// Usage is how many files a project has, and how many bytes they take.
func (d *Desk) Usage(ctx context.Context, s *store.Store, p *store.Project) (files, bytes int64, err error) {
	err = s.QueryIn(ctx, p, usage, []any{p.ID}, func(c *store.Cols) error {
		files, bytes = c.Int(0), c.Int(1)
		return nil
	})
	return files, bytes, err
}

// drop removes an object that nothing shows. What cannot be removed now is found by doctor.
func (d *Desk) drop(ctx context.Context, object string) {
	if object != "" {
		_ = d.Blobs.Delete(context.WithoutCancel(ctx), object)
	}
}

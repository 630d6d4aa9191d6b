package share

import (
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// The states of a shareable, as they are stored; programs written for the original API fail on any other word.
const (
	incomplete = iota
	complete
	errored
)

var words = [...]string{incomplete: "incomplete", complete: "complete", errored: "errored"}

// shareable is what the API shows of one. Its file's address is null until it is complete.
type shareable struct {
	UID      string    `json:"uid"`
	Status   string    `json:"status" one:"incomplete|complete|errored"`
	FileURL  *string   `json:"file_url"`
	Resource reference `json:"resource"`
	// Progress is from 0 to 100.
	Progress int64 `json:"progress"`
	// Message says why one is errored.
	Message *string `json:"message"`
}

type reference struct {
	UID string `json:"uid"`
	URL string `json:"url"`
}

// located is one that shows its own address twice.
type located struct {
	shareable
	ResourceURL string `json:"resource_url"`
}

func (k *Kind[Ask]) routes(all *resource.Catalog) []api.Route {
	name, parts := "Shareable", map[string]api.Schema{}
	parts[name], _ = document.SchemaOf[shareable]("A file that is made in the background. It can be fetched for 30 days.")
	if k.Located {
		name = "LocatedShareable"
		parts[name], _ = document.SchemaOf[located](
			"A file that is made in the background. It can be fetched for 30 days.")
	}
	path := "/projects/{project}/" + k.Path
	out := api.Schema{"$ref": "#/components/schemas/" + name}
	in := document.BodySchema[Ask]()
	if k.Optional {
		in = document.OptionalBodySchema[Ask]()
	}
	may, own := auth.Everyone, auth.OwnOnly
	if k.Admins {
		may, own = auth.Admins, auth.Right{Admin: auth.Own}
	}
	return []api.Route{{
		Method: "POST", Pattern: path, Access: api.Member, Right: may, Keyed: true, Status: 201,
		Do:      func(c *api.Call) error { return k.ask(c, all) },
		Summary: "Ask for a " + lower(k.Name), Tag: "shareables", Extension: k.Extension, In: in,
		OptionalIn: k.Optional, Out: out, Components: parts,
	}, {
		Method: "GET", Pattern: path + "/{uid}", Access: api.Member, Right: own, Poll: true, Do: k.get,
		Status:  200,
		Summary: "See how far a " + lower(k.Name) + " is, and where its file can be fetched", Tag: "shareables",
		Extension: k.Extension, Out: out, Components: parts,
	}}
}

// lower writes a name as inside a sentence.
func lower(name string) string { return string(name[0]|0x20) + name[1:] }

// commission is what the job of a shareable is told.
type commission[Ask any] struct {
	Project, UID, Account string
	Ask                   Ask
}

// ask notes what is asked for, and has it made: 201.
func (k *Kind[Ask]) ask(c *api.Call, all *resource.Catalog) error {
	read := resource.Body[Ask]
	if k.Optional {
		read = resource.OptionalBody[Ask]
	}
	in, body, err := read(c)
	if err != nil {
		return err
	}
	// Nobody waits for what it reads, which may be ten thousand records. A repetition is answered as the first request
	// was, whatever is wrong by now.
	wrong := k.Check(&look{c.Context(), c.Store, c.Scope.Project(), all}, &in)
	uid, err := resource.OncePerKey(c, body, func(tx *resource.Tx) (string, error) {
		if wrong != nil {
			return "", wrong
		}
		p, account, uid := tx.Project(), c.Credential.Account.UID, store.NewUID()
		if open, err := k.underWay(tx, account); err != nil || open != "" {
			return open, err
		}
		if err := admit(tx, account); err != nil {
			return "", err
		}
		id, err := tx.Jobs.Enqueue(tx.Tx, k.Path, commission[Ask]{p.UID, uid, account, in}, tx.Owner())
		if err != nil {
			return "", err
		}
		return uid, tx.Exec(insertShareable, p.ID, uid, k.Path, account, id, tx.Now())
	})
	if err != nil {
		return err
	}
	return k.show(c, 201, uid)
}

// underWay is the uid of the one that an account waits for already, where it can have one at a time; else "".
func (k *Kind[Ask]) underWay(tx *resource.Tx, account string) (uid string, err error) {
	if k.Whole {
		err = tx.Query(findUnderWay, []any{tx.Project().ID, k.Path, account},
			func(c *store.Cols) error { uid = c.Text(0); return nil })
	}
	return uid, err
}

func (k *Kind[Ask]) get(c *api.Call) error { return k.show(c, 200, c.Param("uid")) }

// state is what is stored of a shareable.
type state struct {
	status       int64
	message      string
	object, work string
}

// show answers with a shareable of the caller: fault.NotFound where there is none.
func (k *Kind[Ask]) show(c *api.Call, status int, uid string) error {
	s, err := k.find(c, uid)
	if err != nil {
		return err
	}
	url := c.Base + "/projects/" + c.Scope.Project().UID + "/" + k.Path + "/" + uid
	out := shareable{UID: uid, Resource: reference{uid, url}}
	if s.status == incomplete {
		if out.Progress, err = k.progress(c, uid, s); err != nil {
			return err
		}
	}
	switch out.Status = words[s.status]; s.status {
	case complete:
		link := upload.Link(c, s.object)
		out.FileURL, out.Progress = &link, 100
	case errored:
		out.Message = &s.message
	}
	if k.Located {
		return c.SendJSON(status, located{out, url})
	}
	return c.SendJSON(status, out)
}

// find reads a shareable of the caller.
func (k *Kind[Ask]) find(c *api.Call, uid string) (*state, error) {
	var s *state
	p := c.Scope.Project()
	err := c.Store.QueryIn(c.Context(), p, findShareable, []any{p.ID, uid, k.Path, c.Credential.Account.UID},
		func(cols *store.Cols) error {
			s = &state{cols.Int(0), cols.Text(1), cols.Text(2), cols.Text(3)}
			return nil
		})
	if err == nil && s == nil {
		err = fault.Missing(k.Name, uid)
	}
	return s, err
}

// How many files may be on their way at a time, for one account in all projects and for one project: with as many as
// that, who asks for another waits longer for those than for the answer that it is too many.
const mostOpen, mostOpenOfProject = 20, 60

// askAgainAfter is when one that was refused for these may be asked for again.
const askAgainAfter = 10 * time.Second

// admit refuses one more while too many are being made: fault.Limited.
func admit(tx *resource.Tx, account string) error {
	var paths []string
	for _, k := range kinds() {
		paths = append(paths, k.path())
	}
	own, err := tx.Jobs.Unfinished(tx.Tx, account, paths...)
	if err != nil {
		return err
	}
	whose, n, most := "You have", own, mostOpen
	if own < mostOpen {
		whose, most = "The project has", mostOpenOfProject
		err := tx.Query(countOpen, []any{tx.Project().ID}, func(c *store.Cols) error { n = int(c.Int(0)); return nil })
		if err != nil {
			return err
		}
	}
	if n < most {
		return nil
	}
	refused := fault.New(fault.Limited, "%s %d files being made. Wait until one is finished, then ask again.", whose, n)
	refused.RetryAfter = askAgainAfter
	return refused
}

// given up is what is said of a file whose job failed for no reason of its own.
const givenUp = "The file could not be made. Please ask for it again."

// stoppedTwice is what is said of a file with which the service stopped, the second time while it made nothing else.
const stoppedTwice = "The service stopped twice while it made this file, so it is not tried a third time. Ask for less at once; if that fails too, tell who runs the service."

// tookLong is what is said of a file with which the service stopped, and that took too long when it made nothing else.
const tookLong = "The service stopped while it made this file, and the second attempt took longer than five minutes, so it is not tried a third time. Ask for less at once."

// stoppedWhole is what is said of one that has all files of a project, and with which the service stopped.
const stoppedWhole = "The service stopped while it made this file. Please ask for it again."

// replaced is what is said of one when the same person was given a newer one.
const replaced = "A newer one took its place."

// progress is how far an incomplete shareable is. Its job may have ended since it was read, and may have been given up:
// then s says so.
func (k *Kind[Ask]) progress(c *api.Call, uid string, s *state) (int64, error) {
	j, err := c.Jobs.Get(c.Context(), s.work)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && j.State == job.Failed:
		s.status, s.message = errored, givenUp
		return 0, nil
	case err == nil && j.State == job.Done:
		again, err := k.find(c, uid)
		if err == nil {
			*s = *again
		}
		return 0, err
	}
	return int64(min(j.Progress, 99)), err
}

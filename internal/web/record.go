package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/fault"
)

// record is where the links in mails lead: to the application where that has a screen for the record, and otherwise to
// a page that shows what the API answers to who is signed in. readable are the kinds of which mails tell, and what one
// record is called.
func record(readable map[string]string) []api.Route {
	return []api.Route{site("GET", "/r/{site}/{kind}/{record}", api.Person,
		"Lead to an issue, or read an RFI, that a mail told of.", func(c *api.Call) error { return showRecord(c, readable) })}
}

// shown is what the page shows of a record, and of a comment.
type shown struct {
	Number     int        `json:"number"`
	Title      *string    `json:"title"`
	Status     any        `json:"status"`
	Question   *string    `json:"question"`
	Answer     *string    `json:"answer"`
	DueAt      *string    `json:"due_at"`
	AssignedTo []personal `json:"assigned_to"`
	Deleted    bool       `json:"deleted"`
	Text       string     `json:"text"`
	CreatedBy  *personal  `json:"created_by"`
	CreatedAt  string     `json:"created_at"`
}

type personal struct {
	Email string `json:"email"`
}

// screened are the kinds whose records have a screen in the application.
var screened = map[string]bool{"issues": true}

func showRecord(c *api.Call, readable map[string]string) error {
	kind := c.Param("kind")
	if readable[kind] == "" {
		return fault.New(fault.Unknown, "There is no page for this.")
	}
	if screened[kind] {
		return c.Redirect(screen(c, nil, kind, c.Param("record")))
	}
	project := "/projects/" + url.PathEscape(c.Param("site"))
	path := project + "/" + kind + "/" + url.PathEscape(c.Param("record"))
	var one, place struct {
		shown
		Name string `json:"name"`
	}
	var said struct {
		Data []shown `json:"data"`
	}
	for _, part := range []struct {
		path string
		into any
	}{{path, &one}, {project, &place}} {
		if err := ask(c, part.path, part.into); err != nil {
			return err
		}
	}
	// Records of some kinds cannot be commented.
	if err := ask(c, path+"/comments?deleted=false", &said); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	v := room(c, "record", readable[kind])
	v["Site"] = c.Param("site")
	v["Kind"], v["One"], v["Project"], v["Comments"], v["Status"] = readable[kind], one.shown, place.Name, said.Data, one.status()
	return answer(c, http.StatusOK, "record.html", v)
}

// ask reads what the API answers; its refusals are the page's.
func ask(c *api.Call, path string, into any) error {
	status, _, body := c.Dispatch(api.Inner{Path: path})
	if status == http.StatusOK {
		return json.Unmarshal(body, into)
	}
	var refused struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(body, &refused) // without a sentence there is still the status
	kind := map[int]fault.Kind{
		http.StatusBadRequest: fault.Invalid, http.StatusNotFound: fault.NotFound,
		http.StatusForbidden: fault.Forbidden, http.StatusServiceUnavailable: fault.Unavailable,
	}[status]
	if refused.Message == "" || kind == 0 {
		return fault.Busy(nil)
	}
	return fault.New(kind, "%s", refused.Message)
}

// status is the status of an issue, or the label of an RFI's.
func (s *shown) status() string {
	switch status := s.Status.(type) {
	case string:
		return strings.ReplaceAll(status, "_", " ")
	case map[string]any:
		label, _ := status["label"].(string)
		return label
	}
	return ""
}

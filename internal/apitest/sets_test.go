package apitest_test

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	. "groundwork/internal/apitest"
	"groundwork/internal/draft"
)

// drawn draws a set.
func drawn(t *testing.T, o draft.Options) ([]byte, *draft.Set) {
	t.Helper()
	var b bytes.Buffer
	truth, err := draft.Write(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), truth
}

// read waits until a version upload was read.
func read(t *testing.T, p *Person, project, set string) Response {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; {
		r := p.Want(http.StatusOK, "GET", "/projects/"+project+"/sheets/uploads/"+set, nil)
		if status := r.Text("processing.status"); status == "complete" || status == "errored" {
			return r
		}
		if time.Now().After(end) {
			t.Fatalf("nobody read the set: %s", r.Body)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func TestSetIsRead(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("P")
		work(t, s)
		content, truth := drawn(t, draft.Options{Seed: 5, Sheets: 4, Plain: true})
		set := ada.UploadSet(project, "Issue 1", true, SetFile{"plans.pdf", content})
		r := read(t, ada, project, set)
		t.Logf("%s", r.Body)
		list := ada.Want(200, "GET", "/projects/"+project+"/sheets", nil)
		t.Logf("%s", list.Body)
		_ = truth
	})
}

package apitest_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"groundwork/internal/apitest"
)

// changePage is an answer of the change log.
type changePage struct {
	Data []struct {
		Kind, UID, Operation string
		Record               json.RawMessage
	}
	NextAfter   int64  `json:"next_after"`
	NextPageURL string `json:"next_page_url"`
}

// keepProject keeps all records of a project that its reader sees: in records by kind and uid, with one cursor. get
// answers a GET with JSON.
func keepProject(get func(url string) changePage, project string, records map[string]json.RawMessage, cursor *int64) {
	url := fmt.Sprintf("%s/changes?include=records&after=%d", project, *cursor)
	if *cursor == 0 {
		url = project + "/changes?include=records&latest=true"
	}
	for url != "" {
		answer := get(url)
		for _, entry := range answer.Data {
			if entry.Operation == "hide" {
				delete(records, entry.Kind+"/"+entry.UID)
			} else {
				records[entry.Kind+"/"+entry.UID] = entry.Record
			}
		}
		url = answer.NextPageURL
		if url == "" || *cursor > 0 { // in a walk only the end of it
			*cursor = answer.NextAfter
		}
	}
}

// TestOneCursor runs the example of docs/contract.md.
func TestOneCursor(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		ada := apitest.Start(t, engine).Account("ada")
		p := "/projects/" + ada.Project("Tower")
		get := func(url string) (answer changePage) {
			if err := json.Unmarshal(ada.Want(200, "GET", url, nil).Body, &answer); err != nil {
				t.Fatal(err)
			}
			return answer
		}
		records, cursor := map[string]json.RawMessage{}, int64(0)
		var issues []string
		for i := range 3 {
			issues = append(issues, ada.Want(201, "POST", p+"/issues", fmt.Sprintf(`{"title":"Issue %d"}`, i)).Text("uid"))
			keepProject(get, p, records, &cursor)
		}
		ada.Want(201, "POST", p+"/issues/"+issues[0]+"/comments", `{"text":"a count"}`)
		ada.Want(200, "PATCH", p+"/issues/"+issues[1], `{"room":"104"}`)
		ada.Want(204, "DELETE", p+"/issues/"+issues[2], nil)
		keepProject(get, p, records, &cursor)
		for _, uid := range issues {
			if shown := ada.Want(200, "GET", p+"/issues/"+uid, nil).Body; string(records["issues/"+uid]) != string(shown) {
				t.Errorf("kept is\n%s\nshown is\n%s", records["issues/"+uid], shown)
			}
		}
	})
}

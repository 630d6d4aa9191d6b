package apitest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	. "groundwork/internal/apitest"
)

// TestScales: the title block proposes a scale, a person sets it, and the next version keeps it while it is the same
// drawing; how versions lie on each other goes where they stop being versions.
func TestScales(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("P")
		ada.Invite(project, bob, "Power Collaborator")
		type sheet struct {
			UID, Name       string
			Scale, Proposed *float64
			Alignment       *struct{ Points []struct{ X float64 } }
		}
		publish := func(name string, file []byte) sheet {
			t.Helper()
			ada.UploadSet(project, name, true, SetFile{"set.pdf", file})
			s.Work()
			var list struct {
				Data []struct {
					sheet
					ScaleProposed *float64 `json:"scale_proposed"`
				}
			}
			answer := bob.Want(http.StatusOK, "GET", "/projects/"+project+"/sheets?current=true", nil)
			if err := json.Unmarshal(answer.Body, &list); err != nil || len(list.Data) == 0 {
				t.Fatalf("%v: %s", err, answer.Body)
			}
			list.Data[0].Proposed = list.Data[0].ScaleProposed
			return list.Data[0].sheet
		}
		is := func(what string, got *float64, want float64) {
			t.Helper()
			if (got == nil) != (want == 0) || got != nil && *got != want {
				t.Errorf("%s is %v, not %g", what, got, want)
			}
		}
		first := publish("1", sheetSaying("A-101", "PLAN", `SCALE: 1/8" = 1'-0"`))
		is("the proposal", first.Proposed, 96)
		is("the scale, which nobody set,", first.Scale, 0)
		path := "/projects/" + project + "/sheets/"
		bob.Want(http.StatusForbidden, "PATCH", path+first.UID, map[string]any{"scale": 96})
		ada.Want(http.StatusOK, "PATCH", path+first.UID, map[string]any{"scale": 95.5})

		second := publish("2", sheetSaying("A-101", "PLAN", `SCALE: 1/8" = 1'-0"`))
		is("the scale of the next version", second.Scale, 95.5)
		third := publish("3", sheetSaying("A-101", "PLAN", `SCALE: 1/4" = 1'-0"`))
		is("the scale of a version that is drawn larger", third.Scale, 0)
		is("its proposal", third.Proposed, 48)

		aligned := map[string]any{"alignment": map[string]any{"points": []any{
			map[string]any{"x": 0.1, "y": 0.1, "before_x": 0.2, "before_y": 0.1},
			map[string]any{"x": 0.9, "y": 0.9, "before_x": 1.0, "before_y": 0.9},
		}}}
		ada.Want(http.StatusOK, "PATCH", path+third.UID, aligned)
		ada.Want(http.StatusBadRequest, "PATCH", path+first.UID, aligned)
		read := func() (out sheet) {
			t.Helper()
			if err := json.Unmarshal(bob.Want(http.StatusOK, "GET", path+third.UID, nil).Body, &out); err != nil {
				t.Fatal(err)
			}
			return out
		}
		if got := read(); got.Alignment == nil || len(got.Alignment.Points) != 2 {
			t.Errorf("the alignment is %+v", got.Alignment)
		}
		ada.Want(http.StatusOK, "PATCH", path+third.UID, map[string]any{"name": "A-999"})
		if got := read(); got.Alignment != nil {
			t.Errorf("of a drawing of its own the alignment is %+v", got.Alignment)
		}
	})
}

// TestPensOfManyPoints: a line that was drawn by hand has as many points as the contract says, and no more; other marks
// have fewer, also where they were lines before.
func TestPensOfManyPoints(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("P")
		_, sheets := ada.Sheets(project, "A101")
		drawn := func(kind string, points int) map[string]any {
			all := make([]map[string]float64, points)
			for i := range all {
				all[i] = map[string]float64{"x": float64(i) / float64(points), "y": 1 / float64(i+3)}
			}
			return map[string]any{"sheet_uid": sheets[0], "kind": kind, "geometry": map[string]any{"points": all}}
		}
		path := "/projects/" + project + "/annotations"
		for kind, most := range map[string]int{"pen": 5000, "measure": 1000} {
			made := ada.Want(http.StatusCreated, "POST", path, drawn(kind, most))
			var mark struct{ Geometry struct{ Points []any } }
			if err := json.Unmarshal(made.Body, &mark); err != nil || len(mark.Geometry.Points) != most {
				t.Errorf("%v: a %s of %d points has %d", err, kind, most, len(mark.Geometry.Points))
			}
			ada.Want(http.StatusBadRequest, "POST", path, drawn(kind, most+1))
			change := drawn(kind, 5001)
			delete(change, "sheet_uid")
			ada.Want(http.StatusBadRequest, "PATCH", path+"/"+made.Text("uid"), change)
			if kind == "pen" {
				ada.Want(http.StatusBadRequest, "PATCH", path+"/"+made.Text("uid"), map[string]any{"kind": "measure"})
			}
		}
	})
}

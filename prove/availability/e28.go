package availability

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// E28 abuses batches.
var E28 = &lab.Experiment{
	ID:       "E28",
	Title:    "abuse of batches: too few, too many, nested, forged headers, foreign addresses, many bad keys",
	MustHold: "every case is answered by the rules of the contract exactly",
	Control:  "a plain server without the rules",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		s, err := lab.NewSite(t, lab.Released)
		if err != nil {
			return err
		}
		if _, err := s.Start(); err != nil {
			return err
		}
		c := s.NewClient()
		project, err := c.NewProject(t, "Quay")
		if err != nil {
			return err
		}
		cases := batchCases(project)
		for _, problem := range tryBatches(t, c, cases) {
			t.Require(false, "%s", problem)
		}
		t.Note("cases", "%d", len(cases))
		if err := onlyOneCount(t, s); err != nil {
			return err
		}
		return manyBadKeys(t, s)
	},
	RunControl: func(t *lab.Trial) (string, error) {
		base, _, err := lab.StartRival(t, 256)
		if err != nil {
			return "", err
		}
		cases := batchCases("/projects/1")
		broken := len(tryBatches(t, &lab.Client{BaseURL: base, Key: "x", HTTP: http.DefaultClient}, cases))
		if broken == 0 {
			return "", nil
		}
		return fmt.Sprintf("breaks %d of %d cases", broken, len(cases)), nil
	},
}

// tryBatches gives one sentence for each case that is answered otherwise.
func tryBatches(t *lab.Trial, c *lab.Client, cases []batchCase) (problems []string) {
	for _, one := range cases {
		a, err := c.Do(t, http.MethodPost, "/batch", []byte(one.body))
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", one.name, err))
			continue
		}
		if problem := one.judge(a); problem != "" {
			problems = append(problems, one.name+": "+problem)
		}
	}
	return problems
}

func (one *batchCase) judge(a *lab.Answer) string {
	if a.Status != one.status {
		return fmt.Sprintf("is %s, want %d", a, one.status)
	}
	var body struct {
		Message string `json:"message"`
		Data    []struct {
			Status  int               `json:"status_code"`
			Headers []lab.BatchHeader `json:"headers"`
			Body    string            `json:"body"`
		} `json:"data"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return fmt.Sprintf("is not the JSON of the contract: %v", err)
	}
	if one.status != http.StatusOK {
		if body.Message == "" {
			return "has no message"
		}
		return ""
	}
	var got []int
	for _, r := range body.Data {
		got = append(got, r.Status)
		if (r.Status == http.StatusNoContent) != (r.Body == "") {
			return fmt.Sprintf("a result with status %d has the body %q", r.Status, r.Body)
		}
	}
	if !slices.Equal(got, one.parts) {
		return fmt.Sprintf("its results are %v, want %v: %s", got, one.parts, lab.Clip(a.Body))
	}
	if one.has != "" && !strings.Contains(string(a.Body), one.has) {
		return fmt.Sprintf("does not contain %s: %s", one.has, lab.Clip(a.Body))
	}
	return ""
}

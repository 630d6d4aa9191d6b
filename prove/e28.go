package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

var e28 = &experiment{
	id:      "E28",
	title:   "abuse of batches: too few, too many, nested, forged headers, foreign addresses, many bad keys",
	bar:     "every case is answered by the rules of the contract exactly",
	control: "a plain server without the rules",
	engines: bothEngines,
	run: func(t *trial) error {
		s, err := newSite(t, released)
		if err != nil {
			return err
		}
		if _, err := s.start(); err != nil {
			return err
		}
		c := s.client()
		project, err := c.newProject(t, "Quay")
		if err != nil {
			return err
		}
		cases := batchCases(project)
		for _, problem := range tryBatches(t, c, cases) {
			t.require(false, "%s", problem)
		}
		t.note("cases", "%d", len(cases))
		if err := onlyOneCount(t, s); err != nil {
			return err
		}
		return manyBadKeys(t, s)
	},
	runControl: func(t *trial) (string, error) {
		base, _, err := startRival(t, 256)
		if err != nil {
			return "", err
		}
		cases := batchCases("/projects/1")
		broken := len(tryBatches(t, &client{base: base, key: "x", http: http.DefaultClient}, cases))
		if broken == 0 {
			return "", nil
		}
		return fmt.Sprintf("breaks %d of %d cases", broken, len(cases)), nil
	},
}

// batchCase is one batch and what the contract says of it.
type batchCase struct {
	name   string
	body   string
	status int   // of the whole
	parts  []int // statuses of the results
	has    string
}

// batchField is a header inside a batch.
type batchField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// tryBatches gives one sentence for each case that is answered otherwise.
func tryBatches(t *trial, c *client, cases []batchCase) (problems []string) {
	for _, one := range cases {
		a, err := c.do(t, http.MethodPost, "/batch", []byte(one.body))
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

func (one *batchCase) judge(a *answer) string {
	if a.status != one.status {
		return fmt.Sprintf("is %s, want %d", a, one.status)
	}
	var body struct {
		Message string `json:"message"`
		Data    []struct {
			Status  int          `json:"status_code"`
			Headers []batchField `json:"headers"`
			Body    string       `json:"body"`
		} `json:"data"`
	}
	if err := json.Unmarshal(a.body, &body); err != nil {
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
		return fmt.Sprintf("its results are %v, want %v: %s", got, one.parts, clip(a.body))
	}
	if one.has != "" && !strings.Contains(string(a.body), one.has) {
		return fmt.Sprintf("does not contain %s: %s", one.has, clip(a.body))
	}
	return ""
}

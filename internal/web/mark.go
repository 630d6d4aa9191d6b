package web

import (
	"fmt"
	"net/url"
	"strings"

	"groundwork/internal/api"
)

// mark is an annotation.
type mark struct {
	UID        string  `json:"uid"`
	Kind       string  `json:"kind"`
	Color      string  `json:"color"`
	Stamp      *string `json:"stamp"`
	Text       *string `json:"text"`
	Visibility string  `json:"visibility"`
	Geometry   *struct {
		Points []struct {
			X float64 `json:"x"`
			Y float64 `json:"y"`
		} `json:"points"`
	} `json:"geometry"`
	Sheet target  `json:"sheet"`
	Ref   *target `json:"issue"`

	// Issue is what it shows the place of; From the version it was made on, where that is an earlier one.
	Issue *shown `json:"-"`
	From  string `json:"-"`
}

// marksOf gives what the caller sees drawn on the sheet, and on earlier versions of the same size.
func marksOf(c *api.Call, project string, one *drawn, versions []drawn) ([]mark, error) {
	names, uids := map[string]string{}, []string{}
	for _, d := range earlier(one, versions) {
		names[d.UID] = d.VersionName
		uids = append(uids, d.UID)
	}
	marks, err := all[mark](c, project+"/annotations?deleted=false&sheet_uid="+url.QueryEscape(strings.Join(uids, ",")),
		mostMarks)
	if err != nil {
		return nil, err
	}
	issues := map[string]*shown{}
	for i := range marks {
		m := &marks[i]
		if m.Sheet.UID != one.UID {
			m.From = names[m.Sheet.UID]
		}
		if m.Ref == nil {
			continue
		}
		if m.Issue = issues[m.Ref.UID]; m.Issue == nil {
			m.Issue = new(shown)
			if err := ask(c, project+"/issues/"+url.PathEscape(m.Ref.UID), m.Issue); err != nil {
				return nil, err
			}
			issues[m.Ref.UID] = m.Issue
		}
	}
	return marks, nil
}

// Points are where a mark is, as the script reads them: x,y x,y.
func (m *mark) Points() string {
	if m.Geometry == nil {
		return ""
	}
	var b strings.Builder
	for i, p := range m.Geometry.Points {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%g,%g", p.X, p.Y)
	}
	return b.String()
}

// Label is what a mark is called in a list.
func (m *mark) Label() string {
	switch {
	case m.Issue != nil && m.Issue.Title != nil:
		return fmt.Sprintf("#%d %s", m.Issue.Number, *m.Issue.Title)
	case m.Issue != nil:
		return fmt.Sprintf("#%d", m.Issue.Number)
	case m.Text != nil && *m.Text != "":
		return *m.Text
	default:
		return strings.ToUpper(m.Kind[:1]) + m.Kind[1:]
	}
}

// Status is that of the issue.
func (m *mark) Status() string {
	if m.Issue == nil {
		return ""
	}
	return m.Issue.status()
}

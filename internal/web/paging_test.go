package web

import (
	"fmt"
	"strings"
	"testing"
)

// TestPages writes out the ways from page to page.
func TestPages(t *testing.T) {
	for _, try := range []struct {
		total, number int
		want          string
	}{
		{0, 1, "[1]"},
		{perPage, 1, "[1]"},
		{perPage + 1, 1, "[1] 2 >"},
		{perPage + 1, 2, "< 1 [2]"},
		{3 * perPage, 2, "< 1 [2] 3 >"},
		{1000, 1, "[1] 2 … 21 >"},
		{1000, 3, "< 1 2 [3] 4 … 21 >"},
		{1000, 11, "< 1 … 10 [11] 12 … 21 >"},
		{1000, 20, "< 1 … 19 [20] 21 >"},
		{1000, 21, "< 1 … 20 [21]"},
	} {
		p := window[int]{Total: try.total}.pages(try.number, func(n int) string { return fmt.Sprint("/", n) })
		var got []string
		if p.Prev != "" {
			got = append(got, "<")
			if p.Prev != fmt.Sprint("/", try.number-1) {
				t.Errorf("before page %d of %d is %s", try.number, p.Last, p.Prev)
			}
		}
		for _, s := range p.Steps {
			switch {
			case s.Address == "":
				got = append(got, "…")
			case s.Number == p.Number:
				got = append(got, fmt.Sprintf("[%d]", s.Number))
			default:
				got = append(got, fmt.Sprint(s.Number))
			}
		}
		if p.Next != "" {
			got = append(got, ">")
			if p.Next != fmt.Sprint("/", try.number+1) {
				t.Errorf("after page %d of %d is %s", try.number, p.Last, p.Next)
			}
		}
		if text := strings.Join(got, " "); text != try.want {
			t.Errorf("page %d of %d records: %s, want %s", try.number, try.total, text, try.want)
		}
	}
}

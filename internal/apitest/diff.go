package apitest

import (
	"fmt"
	"strings"
)

// around is how many equal lines stand around each difference.
const around = 3

// diff shows how got departs from want as a unified diff; it is empty when they are equal.
func diff(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var out strings.Builder
	out.WriteString("--- want\n+++ got\n")
	edits := script(a, b)
	for from := 0; from < len(edits); {
		if edits[from].mark == ' ' {
			from++
			continue
		}
		// A hunk ends where more equal lines follow than two contexts hold.
		to, quiet := from, 0
		for i := from; i < len(edits) && quiet <= 2*around; i++ {
			if edits[i].mark == ' ' {
				quiet++
			} else {
				quiet, to = 0, i+1
			}
		}
		from, to = max(0, from-around), min(len(edits), to+around)
		hunk(&out, edits[from:to])
		from = to
	}
	return out.String()
}

func hunk(out *strings.Builder, edits []edit) {
	var before, after int
	for _, e := range edits {
		if e.mark != '+' {
			before++
		}
		if e.mark != '-' {
			after++
		}
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", edits[0].a+1, before, edits[0].b+1, after)
	for _, e := range edits {
		fmt.Fprintf(out, "%c%s\n", e.mark, e.line)
	}
}

// edit is one line of a diff: kept, taken away or added, with the places it has in both texts.
type edit struct {
	mark byte
	line string
	a, b int
}

// script turns a into b with as few lines as possible, by the longest common subsequence. Transcripts are short enough
// for its table.
func script(a, b []string) []edit {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var out []edit
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, edit{' ', a[i], i, j})
			i++
			j++
		case j == len(b) || i < len(a) && length[i+1][j] >= length[i][j+1]:
			out = append(out, edit{'-', a[i], i, j})
			i++
		default:
			out = append(out, edit{'+', b[j], i, j})
			j++
		}
	}
	return out
}

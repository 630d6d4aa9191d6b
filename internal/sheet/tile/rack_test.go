package tile

import (
	"fmt"
	"testing"
)

// FuzzPlace holds that what is read as the place of a tile is written just so, or with zeros before it.
func FuzzPlace(f *testing.F) {
	f.Add("12", "3_4.png")
	f.Add("-1", "3_4.png")
	f.Add("1", "3_4_5.png")
	f.Add("99999999999999999999", "_.png")
	f.Fuzz(func(t *testing.T, first, last string) {
		level, column, row, ok := place(first, last)
		if !ok {
			return
		}
		again := fmt.Sprintf("%d %d_%d", level, column, row)
		if a, b, c, ok := place(fmt.Sprint(level), fmt.Sprintf("%d_%d.png", column, row)); !ok ||
			fmt.Sprintf("%d %d_%d", a, b, c) != again || level < 0 || column < 0 || row < 0 {
			t.Errorf("%q %q is %s", first, last, again)
		}
	})
}

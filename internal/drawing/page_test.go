package drawing

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestCharsTravel has pages arrive as they left, whatever stands on them.
func TestCharsTravel(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 7))
	for n := range 50 {
		page := Page{Width: 3456, Height: 2592, Chars: Chars{}}
		for range n {
			c := Char{Rune: rune(chance.IntN(0x110000))}
			for _, f := range c.numbers() {
				*f = (chance.Float64() - 0.5) * math.Pow(10, float64(chance.IntN(40)-20))
			}
			page.Chars = append(page.Chars, c)
		}
		text, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		var got Page
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, page) {
			t.Fatalf("%d characters arrived as %+v, %v", n, got, err)
		}
	}
	for _, text := range []string{`{"Chars":"AAAA"}`, `{"Chars":"?"}`, `{"Chars":[1]}`} {
		var got Page
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s was read as %+v", text, got)
		}
	}
}

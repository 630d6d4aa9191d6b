package document

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/fault"
)

// TestProblemsAreBounded: a body full of mistakes must not be answered with a multiple of its size.
func TestProblemsAreBounded(t *testing.T) {
	type thing struct {
		Name string `json:"name" write:"required,max=255"`
	}
	p := makePlan(reflect.TypeFor[thing]())
	for _, n := range []int{1, mostProblems - 2, 100_000} {
		body := func(yield func(string, jsontext.Value) bool) {
			for i := range n {
				if !yield(fmt.Sprintf("wrong%d", i), jsontext.Value("1")) {
					return
				}
			}
		}
		_, err := p.Parse(body, Reading{Create: true})
		fields := fault.Of(err).Fields
		if want := min(n, mostProblems+1) + 1; len(fields) != want { // and the name that is required
			t.Errorf("%d mistakes: %d fields in the answer, want %d", n, len(fields), want)
		}
		if _, more := fields[fault.General]; more != (n > mostProblems) {
			t.Errorf("%d mistakes: the answer says that there are more: %t", n, more)
		}
	}
}

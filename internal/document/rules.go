package document

import (
	"fmt"
	"strconv"
	"strings"
)

func (f *Field) rules(text string) {
	f.accepts = []string{f.Name}
	for rule := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "":
		case "required":
			f.required = true
		case "create":
			f.create = true
		case "solid":
			f.solid = true
		case "uuid":
			f.uuid = true
		case "max":
			n, err := strconv.Atoi(value)
			if err != nil {
				panic(fmt.Sprintf("resource: rule %q of %s", rule, f.Name))
			}
			f.max = n
		case "one":
			f.One = strings.Split(value, "|")
		case "as":
			f.accepts = strings.Split(value, "|")
		default:
			panic(fmt.Sprintf("resource: rule %q of %s", rule, f.Name))
		}
	}
}

// slotOf reads the slot of a collection.
func slotOf(f *Field, text string) int {
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || f.Type != collectionType {
		panic(fmt.Sprintf("document: slot %q of %s, a %s", text, f.Name, f.Type))
	}
	return int(n)
}

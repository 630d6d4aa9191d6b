package document

import "reflect"

// PeopleIn are the people that a field of a record names, of whichever type it is.
func PeopleIn(field reflect.Value) []Person {
	switch people := field.Interface().(type) {
	case People:
		return people
	case PeopleOrNull:
		return people
	default:
		return nil
	}
}

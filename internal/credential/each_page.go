package credential

// PageOf is how many are read at once of what an operator lists whole: keys, and applications with their logos.
const PageOf = 200

// EachOf walks over pages of at most pageOf; the first that is shorter is the last.
func EachOf[T any](page func(after string) ([]T, error), name func(*T) string, each func(T) error) error {
	for after := ""; ; {
		some, err := page(after)
		if err != nil {
			return err
		}
		for i := range some {
			if err := each(some[i]); err != nil {
				return err
			}
			after = name(&some[i])
		}
		if len(some) < PageOf {
			return nil
		}
	}
}

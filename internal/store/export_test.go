package store

import "context"

// File files all words that wait.
func (s *Store) File(ctx context.Context) error {
	for n := mostFiled; s.engine.words().later && n == mostFiled; {
		var err error
		if n, err = s.file(ctx); err != nil {
			return err
		}
	}
	return nil
}

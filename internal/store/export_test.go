package store

import "context"

// File files all words that wait.
func (s *Store) File(ctx context.Context) error {
	for all := !s.engine.words().later; !all; {
		var err error
		if all, err = s.file(ctx); err != nil {
			return err
		}
	}
	return nil
}

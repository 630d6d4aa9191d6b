package archive

import "context"

// lookBack holds the archive against what was erased here: a project is refused, and people stay erased, in everything
// that the archive says.
func (s Site) lookBack(ctx context.Context, o *opened) error {
	if s.Gone != nil && !s.Although {
		when, err := s.Gone(ctx, o.Project)
		if err == nil && when != "" {
			err = refused("the project %s was erased here, %s; say --although-erased to bring it back", shorten(o.Project), when)
		}
		if err != nil {
			return err
		}
	}
	if s.Forgotten == nil {
		return nil
	}
	gone := map[string]*Forgotten{}
	err := o.each(peopleEntry, func(n int, line []byte) error {
		var p personLine
		if err := parse(peopleEntry, n, line, &p); err != nil {
			return err
		}
		g, err := s.Forgotten(ctx, p.UID, p.Shown)
		if err == nil && g != nil {
			gone[p.UID] = g
		}
		return err
	})
	o.gone = gone
	return err
}

package backup

import "time"

// KeepOne keeps the newest only, of what was shipped too.
func KeepOne() Keep {
	return Keep{{1, 'h', func(t time.Time) string { return t.Format(time.RFC3339Nano) }}}
}

// LookOften has a Shipper look for its manifest after each segment.
func (s Shipping) LookOften() Shipping {
	s.lookEvery = time.Nanosecond
	return s
}

//go:build !linux

package durability

import "groundwork/prove/lab"

// rig is written for Linux only.
type rig struct{ disk *disk }

func apart(func() error) error { return lab.CannotRun("the disk is written for Linux") }

func newRig(*lab.Trial, string) (*rig, error) { panic("not apart") }

func (r *rig) cut(*lab.Site, int) error { panic("not apart") }

func (r *rig) close() error { panic("not apart") }

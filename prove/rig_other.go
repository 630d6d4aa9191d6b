//go:build !linux

package main

// rig is written for Linux only.
type rig struct{ disk *disk }

func apart(func() error) error { return errNotRun{"the disk is written for Linux"} }

func newRig(*trial, string) (*rig, error) { panic("not apart") }

func (r *rig) cut(*site, int) error { panic("not apart") }

func (r *rig) close() error { panic("not apart") }

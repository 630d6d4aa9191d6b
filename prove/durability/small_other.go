//go:build !linux

package durability

import "groundwork/prove/lab"

func newSmallDisk(*lab.Trial, string, int) error { panic("not apart") }

func fillDisk(string, int64) error { panic("not apart") }

//go:build !linux

package atomicity

func hurt(int, int) bool { return false }

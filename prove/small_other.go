//go:build !linux

package main

func newSmallDisk(*trial, string, int) error { panic("not apart") }

func fillDisk(string, int64) error { panic("not apart") }

//go:build !linux

package main

// useMemory does nothing where the system has no file system in memory that everybody can use.
func useMemory() (remove func() error, err error) { return func() error { return nil }, nil }

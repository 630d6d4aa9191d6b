//go:build !linux

package main

import "errors"

func runTripwire([]string) error { return errors.New("tracing is written for Linux") }

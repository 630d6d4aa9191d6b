package main

import "context"

const rivalCommand = "rival"

func serveRival(ctx context.Context, args []string) error { return nil }

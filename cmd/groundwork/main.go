// Command groundwork serves construction project data, and is the tool of the person who operates it: accounts, keys,
// and what is wrong. It owns what is typed and what is printed; what a command does to an installation is asked of the
// packages below.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"groundwork/internal/app"
	"groundwork/internal/drawing"
	"groundwork/internal/system"
)

func main() {
	// A child that reads files of others knows nothing of the installation.
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	// Other processes of the same user, such as those children, can neither read our memory nor what we were started
	// with.
	if err := hide(); err != nil {
		fmt.Fprintln(os.Stderr, "groundwork: other processes of this user can look into this one:", err)
	}
	streams := app.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	if err := takeEnvironment(); err != nil {
		os.Exit(again(os.Args[1:], finish(streams, 0, err)))
	}
	// Whatever is made in a data folder is for its owner alone.
	system.KeepPrivate()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], streams))
}

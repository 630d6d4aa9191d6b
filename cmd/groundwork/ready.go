package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"groundwork/internal/app"
)

type readyCommand struct {
	network `embed:""`
}

// Run refuses: the question is asked from outside.
func (*readyCommand) Run(*call) error {
	return errors.New("A server is not asked about itself this way.")
}

// ready asks the server that the configuration names whether it can serve; nothing is opened. Containers are watched
// with it, which have no other program.
func (l *line) ready(ctx context.Context, s app.Streams) error {
	c, err := l.config(s)
	if err != nil {
		return err
	}
	if err := app.Ready(ctx, c); err != nil {
		return err
	}
	_, err = io.WriteString(s.Out, fmt.Sprintf("ready at %s\n", c.Listen))
	return err
}

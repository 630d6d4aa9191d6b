// Command s3 is the S3 server that tests and experiments run against: Versity's gateway over a folder, on a port of the
// loopback interface that it chooses and prints. It ends when its standard input does, so that it never outlives
// whoever started it, and removes the folder. Its dependencies have this module of their own, far from the service's.
//
//	s3 FOLDER ACCESS-KEY SECRET-KEY BUCKET
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "s3:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return errors.New("usage: s3 FOLDER ACCESS-KEY SECRET-KEY BUCKET")
	}
	defer os.RemoveAll(args[0])
	objects, beside := filepath.Join(args[0], "objects"), filepath.Join(args[0], "beside")
	for _, folder := range []string{filepath.Join(objects, args[3]), beside} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	// What the gateway knows of an object lies in a file beside it: not every file system of a temporary folder has
	// attributes.
	facts, err := meta.NewSideCar(beside)
	if err != nil {
		return err
	}
	store, err := posix.New(objects, facts, posix.PosixOpts{SideCarDir: beside})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	address, err := freePort()
	if err != nil {
		return err
	}
	go announce(ctx, address)
	return embedgw.RunVersityGW(ctx, store, &embedgw.Config{
		RootUserAccess: args[1], RootUserSecret: args[2], Ports: []string{address},
		// Connections are not kept: where the gateway refuses a request before it has read all of it, it takes the rest
		// for the next one.
		MaxConnections: 4096, MaxRequests: 4096, MultipartMaxParts: 10_000, Quiet: true, KeepAlive: false,
	})
}

// freePort gives an address that nobody listens on; should somebody take it in the same moment, the gateway fails to
// start.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// announce prints the address as soon as somebody answers there.
func announce(ctx context.Context, address string) {
	for ctx.Err() == nil {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			fmt.Printf("http://%s\n", address)
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

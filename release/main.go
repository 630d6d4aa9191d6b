// Command release makes what people install: programs for each system, .deb and .rpm, an image for containers, each
// with its bill of materials, and the checksums of all of it, signed where there is a key. It refuses to guess a
// version: that is what git says of the commit. The same commit gives the same bytes. It has a module of its own, so
// that what packs the service never becomes a dependency of it.
//
//	go run . build             everything, into ../bin/release
//	go run . cut 0.1.0         CHANGELOG, commit and tag of a new version; then build
//	go run . check             what CI does: this machine's package and image, twice, compared and looked into
//	go run . try               installs, upgrades and removes the .deb in a fresh Debian
//
// GROUNDWORK_RELEASE_KEY is a private key of OpenSSH (ed25519), or the path of one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// keyVariable names the key that signs.
const keyVariable = "GROUNDWORK_RELEASE_KEY"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to do: build, cut VERSION, check or try")
	}
	top, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	out := flags.String("out", filepath.Join(top, "bin", "release"), "the `FOLDER` for what is made; it is emptied first")
	// Only to try things: a released version is a tag.
	as := flags.String("version", "", "the version, where git is not to be asked")
	keep := flags.String("keep", "", "for try: the `FOLDER` that keeps what debootstrap makes, to use it again")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if args[0] == "cut" {
		return cut(ctx, top, flags.Arg(0), keepInstallation)
	}
	r, err := describe(ctx, top, *as)
	if err != nil {
		return err
	}
	switch args[0] {
	case "build":
		return r.buildAll(ctx, *out)
	case "check":
		return r.check(ctx)
	case "try":
		return r.try(ctx, *keep)
	}
	return fmt.Errorf("nothing is called %q: say build, cut VERSION, check or try", args[0])
}

// command gives what a program prints; its error is what the program said.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, said.String())
	}
	return string(out), nil
}

// Command drawings draws sets of drawings for measurements, and measures how long their pages take to be drawn on a
// screen by the library that the service uses, one after the other and without anything else.
//
//	go run ./scripts/drawings draw 100 set.pdf
//	go run ./scripts/drawings render 20 set.pdf
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"groundwork/internal/draft"
	"groundwork/internal/drawing"
)

// seed makes a set of ARCH D sheets.
const seed = 5

// dpi is how finely a page is rendered: as finely as a screen shows a whole one.
const dpi = 100

func main() {
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "drawings:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, to io.Writer, args []string) error {
	if len(args) != 3 {
		return errors.New("say what to do, with how many pages of which file: draw 100 set.pdf, render 20 set.pdf")
	}
	pages, err := strconv.Atoi(args[1])
	if err != nil || pages < 1 {
		return fmt.Errorf("%q is no number of pages", args[1])
	}
	switch args[0] {
	case "draw":
		return draw(args[2], pages)
	case "render":
		each, err := render(ctx, args[2], pages)
		if err == nil {
			_, err = fmt.Fprintf(to, "%.4f\n", each.Seconds())
		}
		return err
	default:
		return fmt.Errorf("there is nothing to %s", args[0])
	}
}

func draw(path string, pages int) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = draft.Write(out, draft.Options{Seed: seed, Sheets: pages, Plain: true})
	return errors.Join(err, out.Close())
}

// render gives the time that one page takes, in the mean over pages from all of the file, once the library is started.
func render(ctx context.Context, path string, pages int) (each time.Duration, err error) {
	folder, err := os.MkdirTemp("", "drawings-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	shop, err := drawing.Open(drawing.Config{Folder: folder, Children: 1})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, shop.Close()) }()
	in, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	f, err := shop.Bring(in)
	if err != nil {
		return 0, err
	}
	sizes, err := f.Pages(ctx)
	if err != nil {
		return 0, err
	}
	if _, err := f.Render(ctx, 1, dpi); err != nil {
		return 0, err
	}
	pages = min(pages, len(sizes))
	began := time.Now()
	for i := range pages {
		if _, err := f.Render(ctx, 1+i*len(sizes)/pages, dpi); err != nil {
			return 0, err
		}
	}
	return time.Since(began) / time.Duration(pages), nil
}

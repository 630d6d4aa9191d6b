// Command bodies writes what the demonstration's people would write, as bodies of requests, a line of JSON each: as
// much as a benchmark needs, the same for the same seed and day.
//
//	go run ./scripts/bodies -seed 7 rfis 10000
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/demo"
)

func main() {
	seed := flag.Uint64("seed", 1, "what the texts are made from")
	day := flag.String("day", time.Now().UTC().Format(time.DateOnly), "what the dates are near")
	flag.Parse()
	if err := write(os.Stdout, *seed, *day, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bodies:", err)
		os.Exit(1)
	}
}

// write writes bodies of a kind, as many as asked for.
func write(to io.Writer, seed uint64, day string, args []string) error {
	today, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return err
	}
	if len(args) != 2 {
		return errors.New("say of which kind and how many: rfis 1000")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	m := demo.NewMaker(seed, today)
	kinds := map[string]func(i int) map[string]any{
		"issues":        func(int) map[string]any { body, _ := m.Issue(); return body },
		"rfis":          func(i int) map[string]any { body, _ := m.RFI(i); return body },
		"comments":      func(int) map[string]any { return map[string]any{"text": m.Comment()} },
		"field_reports": m.Report,
	}
	body, ok := kinds[args[0]]
	if !ok {
		return fmt.Errorf("there are no bodies of %s", args[0])
	}
	out := bufio.NewWriter(to)
	for i := range n {
		line, err := json.Marshal(body(i), json.Deterministic(true))
		if err != nil {
			return err
		}
		_, _ = out.Write(append(line, '\n')) // Flush tells
	}
	return out.Flush()
}

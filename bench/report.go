package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// machine says what the figures depend on.
func machine() []string {
	facts := []string{
		fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version()),
	}
	after := func(file, label string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			return ""
		}
		_, rest, _ := strings.Cut(string(text), label)
		line, _, _ := strings.Cut(rest, "\n")
		return strings.Trim(line, " \t:")
	}
	if model := after("/proc/cpuinfo", "model name"); model != "" {
		facts = append(facts, model)
	}
	var kilobytes int
	if _, err := fmt.Sscanf(after("/proc/meminfo", "MemTotal"), "%d", &kilobytes); err == nil {
		facts = append(facts, fmt.Sprintf("%d GB of memory", (kilobytes+500_000)/1_000_000))
	}
	if kernel := after("/proc/version", "Linux version"); kernel != "" {
		facts = append(facts, "Linux "+strings.Fields(kernel)[0])
	}
	return facts
}

// table is the bars as Markdown.
func (r *results) table() string {
	var b strings.Builder
	b.WriteString("| Bar | Median | Spread | Bar | Goal | |\n|---|--:|--:|--:|--:|---|\n")
	for _, one := range r.bars() {
		goal := ""
		if one.goal > 0 {
			goal = one.show(one.goal)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", one.name, one.show(one.median()), one.spread(),
			one.bound(), goal, one.verdict())
	}
	b.WriteString("\n| Also measured, without a bar | Median | Spread |\n|---|--:|--:|\n")
	for _, one := range r.extras() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", one.name, one.show(one.median()), one.spread())
	}
	return b.String()
}

// figures are the medians of every probe.
func (r *results) figures() string {
	var b strings.Builder
	b.WriteString("| Probe | Answers/s | CPU of the server per answer | p50 | p99 |\n|---|--:|--:|--:|--:|\n")
	for _, name := range r.Order {
		all := r.Samples[name]
		load := "–"
		if v := mid(all, cpu); v > 0 {
			load = fmt.Sprintf("%.0f µs", v)
		}
		fmt.Fprintf(&b, "| %s | %.0f | %s | %.2f ms | %.2f ms |\n", name, mid(all, rate), load, mid(all, p50),
			mid(all, p99))
	}
	return b.String()
}

func (r *results) summary() string {
	passed, all := 0, r.bars()
	for _, one := range all {
		if one.verdict() == "PASS" {
			passed++
		}
	}
	return fmt.Sprintf("%d of %d bars hold.", passed, len(all))
}

const about = `# Speed

<!-- Written by make bench. Do not edit: change bench/ and run it again. -->

%s %s

![How far each bar is passed](img/speed.svg)

## The bars

%s
## How it was measured

- %s. %s. The run took %s.
- The released binary, %s, in a process of its own, on SQLite unless it says PostgreSQL, over TCP on the loopback address; the load generator is on the same machine.
- One project with %s issues (%.0f bytes of JSON each in a list), %d people. Every request passes everything: key, three rate limits, membership, rights, entity tags, metrics.
- The floor is a net/http handler that writes the same bytes from memory, in a process of its own. What the service is below it is what the service costs.
- All take turns, %d rounds of %s each; a ratio compares two neighbours of one round, the median is over the rounds, the spread is the least and the greatest. Only ratios count: other machines have other figures.
- The machine is a virtual one among others. Where they took more than %.0f %% of the processor time that was wanted, as the kernel counts it, a turn was measured again, at most %d times in all, and the calmest counts: %d turns, %d repetitions, %d turns that were never calm (the worst lacked %.0f %%). Turns of creates and patches, whoever's, also had to begin and end while the disk was at its ease: 64 small writes that wait for it took at most %d times what the quickest of the run took. Turns of open loops, whoever's, had to begin while others left the processor alone: of a third of a second of work on all cores they took at most %.0f %%. %.0f s were waited for both. Before the next server is asked, the one that was asked before rests. Of the turns of lists beside drawings and beside nothing those count from which at most %.1f %% of all time was taken, %d of %d; a round without such turns of both kinds does not count.
- Closed loops keep 16 connections busy unless another number is named; one thread asks on all of them, and except over TLS by nothing but one call of the kernel to send and one to read, for what asks takes the processors from what answers. Open loops send at fixed moments and measure from the moment a request was due, so that a stall is charged for everything that came due in it.
- CPU is the processor time of the service's process per answer, from the kernel's clock for it.
- "One transaction each" is the same program, built so that it commits every write alone. PostgreSQL runs with %s.
- fsyncs are counted by strace, which stops the program at nothing else.
- A packet is 50 sheets of a set of drawings with plans, details, schedules and their typefaces, on ARCH D. It is asked for over the API, and the time ends when its address is given, which is looked for every 2 ms. Beside it, pdfcpu alone reads the same 50 files, merges them in memory and writes a file that the disk has taken, in the process that measures: no bookmarks, links or annotations, no rights, no worker.
- A report has a cover, a table and a card for each issue. Beside it, fpdf and the image libraries alone make the same previews smaller and put them on pages with a title, in memory.

PocketBase (%.0f bytes of JSON for each issue in a list):

%s
## All figures

%s`

// write writes docs/speed.md and its chart.
func (r *results) write(top string) error {
	var config, notes strings.Builder
	for _, line := range r.Rival {
		config.WriteString("- " + line + "\n")
	}
	for _, note := range r.Notes {
		notes.WriteString(" " + note)
	}
	text := fmt.Sprintf(about, r.summary(), notes.String(), r.table(), r.Date, strings.Join(r.Machine, ", "), r.Took,
		r.Version, comma(r.Issues), r.Sizes["sqlite"], people,
		r.Rounds, r.Turn, calm*100, mostTurns, r.Taken.Turns, r.Taken.Repeated, r.Taken.Rough, r.Taken.Worst*100,
		slower, calm*100, r.Taken.Waited.Seconds(), still*100, r.Taken.Still, r.Taken.Asked,
		strings.Join(durable[:len(durable)-1], ", "), r.Sizes["pocketbase"], config.String(), r.figures())
	if err := os.MkdirAll(filepath.Join(top, "docs", "img"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(top, "docs", "speed.md"), []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(top, "docs", "img", "speed.svg"), []byte(r.chart()), 0o644)
}

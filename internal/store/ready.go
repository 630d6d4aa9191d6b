package store

import "errors"

// To find the words of a long text takes milliseconds, for which no other writer should wait. So a write that has one
// is run, stops there, and is run once more when whoever asked for it has found the words, beside all writers.

const (
	// LongText is the length of texts from which on their words are found beside the writer: a shorter one takes some
	// tens of microseconds, less than to run a write twice.
	LongText = 2 << 10
	// mostLacking is how often a write is run anew for lack of words. The first time it stops at once, before it has
	// written anything; the second time it goes on, so that all it lacks is known. What it then still lacks is found
	// inside.
	mostLacking = 2
)

// errLacking ends a write that is run anew when the words are there that it lacks.
var errLacking = errors.New("store: the words of a long text are not found yet")

// subject is a text whose words are looked for under a scope.
type subject struct{ scope, text string }

// wording is what a write knows of the words of long texts.
type wording struct {
	found map[subject]string // joined
	lacks []subject
	runs  int // for lack of words
}

// find finds what a write lacked, in the goroutine of who asked for it.
func (w *wording) find() {
	if w.found == nil {
		w.found = map[subject]string{}
	}
	for _, s := range w.lacks {
		if _, twice := w.found[s]; !twice {
			w.found[s] = indexed(s.scope, s.text)
		}
	}
	w.lacks = nil
	w.runs++
}

// Ready sees to it that the words of a text by which a record of a kind will be found are there before the writer is
// taken. Whoever is about to Word a long text calls it before it writes anything else, and ends with the error that it
// gives; the write is then run anew.
func (tx *Tx) Ready(kind Kind, text string) error {
	if len(text) < LongText || tx.here == nil {
		return nil
	}
	if _, there := tx.ready(subject{scope(tx.here.project.ID, kind), text}); !there && tx.wording.runs == 0 {
		return errLacking
	}
	return nil
}

// ready gives the words of a text if they are there, or may be found here.
func (tx *Tx) ready(s subject) (words string, there bool) {
	if words, there = tx.wording.found[s]; there {
		return words, true
	}
	if len(s.text) < LongText || tx.wording.runs >= mostLacking {
		return indexed(s.scope, s.text), true
	}
	tx.wording.lacks = append(tx.wording.lacks, s)
	return "", false
}

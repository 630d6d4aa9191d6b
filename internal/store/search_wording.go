package store

import "errors"

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

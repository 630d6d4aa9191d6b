package store

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

// Word stores the text by which a record is found, instead of what it was found by before. For a long text, Ready is to
// be called first.
func (tx *Tx) Word(id ID, text string) error {
	words, there := tx.ready(subject{scope(id.Project(), id.Kind()), text})
	if !there {
		return nil // the write is run anew, whatever becomes of it here
	}
	d := tx.store.engine.words()
	if d.later {
		tx.store.waiting.Add(1)
		tx.store.waitingBytes.Add(int64(len(words)))
	}
	return tx.Exec(d.put, id, words)
}

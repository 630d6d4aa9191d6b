package ordering

import (
	"math"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// history is what happened at each place, in the form that the checker takes.
type history struct {
	numbers map[string][]porcupine.Operation // by list
	records map[string][]porcupine.Operation // by record
	unsaid  int                              // operations that took effect and were never answered
}

func (h *history) size() (n int) {
	for _, of := range []map[string][]porcupine.Operation{h.numbers, h.records} {
		for _, ops := range of {
			n += len(ops)
		}
	}
	return n
}

// settle reads the end state and makes the history. What was never answered belongs to it if it took effect: a create
// is then in the list, and a title that was written is then read by somebody, since whoever overwrites it must have
// read it.
func (r *race) settle() (*history, error) {
	numbers := map[string]int{}
	for _, list := range r.lists {
		records, _, err := r.clients[0].ListAll(r.t, list)
		if err != nil {
			return nil, err
		}
		for _, raw := range records {
			var f lab.Fields
			var n int
			if err := json.Unmarshal(raw, &f); err != nil {
				return nil, err
			}
			if err := json.Unmarshal(f["number"], &n); err != nil {
				return nil, err
			}
			numbers[f.Text("title")] = n
		}
		e := &event{op: opCount, place: list, number: len(records), call: r.now()}
		e.end = r.now()
		r.all = append(r.all, e)
	}
	read := map[string]bool{}
	for _, record := range r.records {
		r.read(0, 0, record)
	}
	for _, e := range r.all {
		if e.op == opRead {
			read[e.seen] = true
		}
	}
	h := &history{numbers: map[string][]porcupine.Operation{}, records: map[string][]porcupine.Operation{}}
	for _, e := range r.all {
		if e.end == 0 {
			switch e.op {
			case opCreate:
				e.number = numbers[e.title]
			case opChange:
				e.done = read[e.title]
			}
			if e.number == 0 && !e.done {
				continue
			}
			h.unsaid++
			e.end = r.bound(e)
		}
		o := porcupine.Operation{ClientId: e.client, Input: e, Output: e, Call: int64(e.call), Return: int64(e.end)}
		if e.op == opCreate || e.op == opCount {
			h.numbers[e.place] = append(h.numbers[e.place], o)
		} else {
			h.records[e.place] = append(h.records[e.place], o)
		}
	}
	return h, nil
}

// bound is the latest that something can have taken effect which was never answered: when its process was dead, or,
// where a database server carries on with what it was sent, any time.
func (r *race) bound(e *event) time.Duration {
	if r.t.Engine == lab.SQLite {
		for _, at := range r.gone[e.site] {
			if at > e.call {
				return at
			}
		}
	}
	return math.MaxInt64
}

// exchange gives two creates, one of which had ended when the other began, each other's number.
func (h *history) exchange() bool {
	for _, ops := range h.numbers {
		for _, a := range ops {
			for _, b := range ops {
				first, second := a.Input.(*event), b.Input.(*event)
				if first.op == opCreate && second.op == opCreate && a.Return < b.Call {
					first.number, second.number = second.number, first.number
					return true
				}
			}
		}
	}
	return false
}

const (
	illegalHistory = "illegal"
	judgeWithin    = 2 * time.Minute
)

// judge gives a verdict on each place; the empty one is good.
func (h *history) judge() map[string]string {
	out := map[string]string{}
	check := func(model porcupine.Model, of map[string][]porcupine.Operation) {
		for place, ops := range of {
			switch porcupine.CheckOperationsTimeout(model, ops, judgeWithin) {
			case porcupine.Ok:
				out[place] = ""
			case porcupine.Illegal:
				out[place] = illegalHistory
			default:
				out[place] = "not decided in time"
			}
		}
	}
	check(numbering, h.numbers)
	check(versions, h.records)
	return out
}

// numbering says what a list without concurrency does: the state is the last number.
var numbering = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, _ any) (bool, any) {
		last, e := state.(int), input.(*event)
		if e.op == opCount {
			return e.number == last, last
		}
		return e.number == last+1, last + 1
	},
}

// versions says what a record without concurrency does: the state is its title.
var versions = porcupine.Model{
	Init: func() any { return firstTitle },
	Step: func(state, input, _ any) (bool, any) {
		title, e := state.(string), input.(*event)
		switch {
		case e.op == opRead:
			return e.seen == title, title
		case e.done:
			return e.expect == title, e.title
		default:
			return e.expect != title, title
		}
	},
}

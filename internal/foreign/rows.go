package foreign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/table"
)

// item is a row on its way to be a record.
type item struct {
	line     int
	uid      string
	names    []string // the uids by which the record is looked for, the first first
	number   uint32   // that it had there; 0 where it had none
	numbered string   // as it is written there
	keeps    bool     // the record has that number
	takes    uint32   // the number that the record is given; 0 for the next
	list     string
	fields   map[string]any
	blank    map[string]any // what fields are where no cell says more
	text     string
	remarks  []string
	assigned []people // by column
}

// reader makes records of rows.
type reader struct {
	*found
	Options
	project  string
	zone     *time.Location
	zoned    bool
	team     map[string]string   // uids of members by the keys of their addresses
	names    map[string][]string // and by their folded names
	alias    map[string]string   // addresses by folded names
	statuses map[string]string   // of RFIs: uids by folded labels
	first    string              // of RFIs: the status of a new one

	strangers, unknown map[string]int // people, and statuses, that nobody knows here
	byName, namesakes  map[string]int // names of one member, and of several
	unread             map[string]int // values that could not be read, by column
	order              order
	dayFirst           bool
	again              []string // rows with the name of another
	nameless           bool
	ahead              bool // a record has a number that one that is made after these may get
	all                []*item
}

// items makes the records of all rows, those with numbers first and in their order, the others as they stand.
func (r *reader) items() []*item {
	var all []*item
	r.chooseOrder()
	r.nameless = !r.has(ofUID) && !r.has(ofNumber)
	seen := map[string]bool{}
	for _, row := range r.rows {
		it := r.item(row)
		if it == nil {
			continue
		}
		if seen[it.names[0]] && !r.nameless {
			r.again = append(r.again, fmt.Sprint(row.Line))
		}
		seen[it.names[0]] = true
		all = append(all, it)
	}
	slices.SortStableFunc(all, func(a, b *item) int {
		switch {
		case a.number == b.number:
			return 0
		case a.number == 0 || b.number != 0 && b.number < a.number:
			return 1
		}
		return -1
	})
	r.all = all
	return all
}

// chooseOrder finds out whether days are written before months.
func (r *reader) chooseOrder() {
	for i, c := range r.columns {
		if c.what != ofStart && c.what != ofDue && c.what != ofSent {
			continue
		}
		for _, row := range r.rows {
			if i < len(row.Cells) {
				r.order.look(row.Cells[i])
			}
		}
	}
	r.dayFirst = r.DayFirst || r.order.dayFirst > 0 && r.order.monthFirst == 0
}

// item makes the record of a row; nil where it says nothing.
func (r *reader) item(row table.Row) *item {
	it := &item{line: row.Line, fields: map[string]any{}, blank: map[string]any{}, list: r.listFor("")}
	whole, said, blank := sha256.New(), map[field]string{}, true
	addressed := r.addressed(row)
	for i, c := range r.columns {
		text := ""
		if i < len(row.Cells) {
			text = clean(row.Cells[i])
		}
		if text != "" {
			blank = false
			fmt.Fprintf(whole, "%d %d:%s", i, len(text), text) // whatever blank columns follow
		}
		if c.what != ofRemark && c.what != ofAssigned {
			said[c.what] = text
		}
		r.put(it, c, text, addressed)
	}
	if blank {
		return nil
	}
	r.countStrangers(it)
	for name, value := range it.blank {
		if _, said := it.fields[name]; !said {
			it.fields[name] = value
		}
	}
	r.entitle(it)
	if said[ofUID] != "" {
		it.names = append(it.names, r.uidOf("uid", said[ofUID]))
	}
	if said[ofNumber] != "" {
		it.names = append(it.names, r.uidOf("number", said[ofNumber]))
	}
	if len(it.names) == 0 {
		it.names = []string{r.uidOf("row", hex.EncodeToString(whole.Sum(nil)))}
	}
	return it
}

// clean is a text without what no text has: control characters, which databases and people cannot read.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return c
		}
		if unicode.IsControl(c) || c == utf8.RuneError {
			return ' '
		}
		return c
	}, text))
}

func (r *reader) listFor(name string) string {
	for _, one := range []string{name, r.List, r.export.list} {
		if one = strings.Join(strings.Fields(one), " "); one != "" {
			return clip(one, mostTitle)
		}
	}
	return ""
}

// remark keeps something as text.
func (it *item) remark(heading, text string) {
	if strings.Contains(text, "\n") {
		it.remarks = append(it.remarks, heading+":\n"+text)
	} else {
		it.remarks = append(it.remarks, heading+": "+text)
	}
}

// addressed is whether a row has the address of anybody it is assigned to: then names say nothing more, since whoever
// has such a name here may be another one.
func (r *reader) addressed(row table.Row) bool {
	for i, c := range r.columns {
		if c.what == ofAssigned && i < len(row.Cells) && address.MatchString(row.Cells[i]) {
			return true
		}
	}
	return false
}

// put puts what a cell says where it belongs; of people in a row that is addressed, only addresses count. Whatever has
// no place there is a remark.
func (r *reader) put(it *item, c column, text string, addressed bool) {
	it.clear(c.what)
	if text == "" {
		return
	}
	kept := true
	switch c.what {
	case ofUID:
		kept = false // it is how the row is found again, and how people find it there
	case ofNumber:
		it.numbered = text
		if n, is := whole(text); is {
			it.number = n
		}
	case ofTitle:
		it.fields["title"] = text // see entitle
	case ofText:
		it.text = text
	case ofAnswer:
		it.fields["answer"] = text
	case ofRoom:
		it.fields["room"] = clip(text, mostTitle)
		kept = utf8.RuneCountInString(text) <= mostTitle
	case ofStatus:
		kept = r.status(it, text)
	case ofType:
		word, known := r.types[fold(text)]
		if known {
			it.fields["type"] = word
		}
		kept = known && fold(word) == fold(text)
	case ofList:
		it.list = r.listFor(text)
		kept = it.list == text
	case ofAssigned:
		in := r.who(text, !addressed)
		it.assigned = append(it.assigned, in)
		had, _ := it.fields["assigned_to_uids"].([]string)
		for _, uid := range in.uids {
			if !slices.Contains(had, uid) {
				had = append(had, uid)
			}
		}
		it.fields["assigned_to_uids"] = had
		if len(in.others) > 0 {
			it.remark(c.heading, strings.Join(in.others, "; "))
		}
	case ofStart, ofDue, ofSent:
		kept = r.date(it, c.what, text)
	case ofCost, ofCostIs, ofDelay, ofDelayIs:
		kept = impact(it, c.what, text)
	default:
		kept = false
	}
	if !kept {
		if slices.Contains([]field{ofStart, ofDue, ofSent, ofCost, ofDelay}, c.what) {
			r.unread[c.heading]++
		}
		it.remark(c.heading, text)
	}
}

// written are the fields that a column says something of.
var written = map[field][]string{
	ofTitle: {"title"}, ofAnswer: {"answer"}, ofRoom: {"room"}, ofType: {"type"}, ofStart: {"start_date"},
	ofDue: {"due_at"}, ofSent: {"sent_at"}, ofAssigned: {"assigned_to_uids"},
	ofCost: {"has_cost_impact", "cost_impact"}, ofCostIs: {"has_cost_impact", "cost_impact"},
	ofDelay: {"has_schedule_impact", "schedule_impact"}, ofDelayIs: {"has_schedule_impact", "schedule_impact"},
}

// clear notes what the fields of a column are where its cell is empty, or cannot be read: there is nothing, where there
// may have been something before.
func (it *item) clear(what field) {
	if it.blank == nil {
		it.blank = map[string]any{}
	}
	for _, name := range written[what] {
		switch {
		case strings.HasPrefix(name, "has_"):
			it.blank[name] = false
		case what == ofAssigned:
			it.blank[name] = []string{}
		default:
			it.blank[name] = nil
		}
	}
}

// status puts a status; false where the word itself is to be kept.
func (r *reader) status(it *item, text string) bool {
	word, known := r.export.statuses[fold(text)]
	if r.plural == "rfis" {
		uid := r.statuses[fold(text)]
		exact := uid != ""
		if uid == "" {
			uid = r.statuses[fold(word)]
		}
		if uid == "" {
			r.unknown[text]++
			if r.first != "" {
				it.fields["status"] = r.first
			}
			return false
		}
		it.fields["status"] = uid
		return exact
	}
	if !known {
		r.unknown[text]++
		it.fields["status"] = "open" // as a new one has
		return false
	}
	it.fields["status"] = word
	return fold(word) == fold(text)
}

func (r *reader) date(it *item, what field, text string) bool {
	d, ok := parseDay(text, r.dayFirst, r.zone)
	if !ok {
		return false
	}
	switch what {
	case ofStart:
		it.fields["start_date"] = d.at.Format(time.DateOnly)
	case ofDue:
		it.fields["due_at"] = d.due(r.zone, r.zoned).UTC().Format(time.RFC3339)
	default:
		it.fields["sent_at"] = d.at.UTC().Format(time.RFC3339)
	}
	return true
}

// impact puts what something costs, in money or days.
func impact(it *item, what field, text string) bool {
	has, amount := "has_cost_impact", "cost_impact"
	if what == ofDelay || what == ofDelayIs {
		has, amount = "has_schedule_impact", "schedule_impact"
	}
	var value any
	ok := false
	if amount == "cost_impact" {
		var amount string
		amount, ok = money(text)
		value = jsontext.Value(amount)
	} else {
		var n int64
		n, ok = days(text)
		value = n
	}
	if what == ofCostIs || what == ofDelayIs {
		if is, said := yes(text); said {
			it.fields[has] = is
			return fold(text) == "yes" || fold(text) == "no" || fold(text) == "true" || fold(text) == "false"
		}
	}
	if ok {
		it.fields[amount] = value
		if _, said := it.fields[has]; !said { // yes or no is said by itself
			it.fields[has] = true
		}
	}
	return ok
}

// entitle gives a record a title that is not too long; nothing of it is lost.
func (r *reader) entitle(it *item) {
	title, _ := it.fields["title"].(string)
	if title == "" {
		first, _, _ := strings.Cut(it.text, "\n")
		title = first
	}
	line := strings.Join(strings.Fields(title), " ")
	if line == "" {
		return
	}
	short := clip(line, mostTitle)
	if given, is := it.fields["title"].(string); is && short != given && short != line {
		it.remark("Title", given)
	}
	it.fields["title"] = short
}

// body is the record as the API would be sent it.
func (r *reader) body(it *item, list string) (map[string]jsontext.Value, error) {
	remarks := it.remarks
	if it.numbered != "" && !it.keeps {
		remarks = append([]string{"Number: " + it.numbered}, remarks...)
	}
	text := it.text
	if len(remarks) > 0 {
		text = strings.TrimSpace(text + "\n\n" + strings.Join(remarks, "\n"))
	}
	if n := utf8.RuneCountInString(text); n > mostText {
		return nil, fmt.Errorf("its texts have %d characters together; a record may have %d", n, mostText)
	}
	all := maps.Clone(it.fields)
	name := "description"
	if r.plural == "rfis" {
		name = "question"
	}
	if all[name] = nil; text != "" {
		all[name] = text
	}
	if r.plural == "issues" {
		if all["issue_list_uid"] = nil; list != "" {
			all["issue_list_uid"] = list
		}
	}
	body := map[string]jsontext.Value{}
	for name, value := range all {
		said, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		body[name] = said
	}
	return body, nil
}

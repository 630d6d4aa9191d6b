package foreign

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// mark is what is known of a record that is here.
type mark struct {
	number uint32
	// title and list are the hashes of what the file said of them the last time; "" where it said nothing.
	title, list string
	// also are the other uids by which it is looked for.
	also    []string
	deleted bool
}

func markOf(row *store.Row, number uint32) mark {
	m := mark{number: number, deleted: row.Deleted}
	if o, brought := resource.OriginOf(row); brought {
		m.title, m.list, m.also = o.Brought["title"][0], o.Brought[listField][0], o.Also
	}
	return m
}

// listField is the field of an issue that names its list.
const listField = "issue_list_uid"

// quoted is a text as a body has it.
func quoted(text string) jsontext.Value {
	if value, err := json.Marshal(text); err == nil {
		return value
	}
	return jsontext.Value("null") // no text that was cleaned
}

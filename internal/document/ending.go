package document

import (
	"bytes"

	"groundwork/internal/store"
)

// Ending gives how documents of a plan end, of which doc is one.
func (p *Plan) Ending(doc []byte) Ending {
	n := len(p.Fields)
	for n > 0 && p.Fields[n-1].Type == collectionType {
		n--
	}
	if n == len(p.Fields) {
		return Ending{}
	}
	stored := doc[bytes.LastIndex(doc, []byte(`,"`+p.Fields[n].Name+`":`)):]
	return Ending{stored, (&Expander{}).Append(nil, &store.Line{Doc: stored})}
}

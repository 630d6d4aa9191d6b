// Package pagetext owns the text of a published page: Read gets it from the file store, and Places finds words in it.
// It refuses to know records, and how a text is made, which is package read's.
package pagetext

import (
	"context"

	"groundwork/internal/blob"
	"groundwork/internal/drawing/read"
)

// ContentType is that of the objects in which texts are kept: one for each page. The private part of a sheet's record
// names its own. A search finds sheets by the words in that private part, and the places of its hits here.
const ContentType = "application/gzip"

// Read reads the text of a page from the store of files.
func Read(ctx context.Context, blobs blob.Store, object string) (*read.Text, error) {
	o, err := blobs.Open(ctx, object)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return read.Unpack(o)
}

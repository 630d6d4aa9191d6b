package share

import (
	"context"

	"groundwork/internal/blob"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
)

// Packet is what is said of a packet of sheets.
type Packet struct {
	SheetUIDs          []string `json:"sheet_uids" write:"required"`
	IncludeAnnotations *bool    `json:"include_annotations" write:""`
	Cover              *bool    `json:"cover" write:""`
}

// Packets are PDFs of sheets, with what the asker sees drawn on them.
var Packets = &Kind[Packet]{Path: "sheets/packets", Name: "Sheet packet", Check: checkPacket, Make: makePacket}

// checkPacket finds every sheet: fault.NotFound names one that is not there.
func checkPacket(in *look, p *Packet) error {
	switch n := len(p.SheetUIDs); {
	case n == 0:
		return fault.Field("sheet_uids", "It must name at least one sheet.")
	case n > mostSheets:
		return fault.Field("sheet_uids", "It names %d sheets; a packet has at most %d.", n, mostSheets)
	}
	return in.kinds.Present(in.ctx, in.store, in.project, "sheets", "sheet_uids", p.SheetUIDs)
}

// makePacket has the packet put together.
func makePacket(ctx context.Context, o *Order[Packet]) (File, error) {
	b := &binding{Order: o, known: map[string]int{}, histories: map[string]int{}}
	if err := b.collect(ctx); err != nil {
		return File{}, err
	}
	p, err := b.packet(ctx)
	if err != nil {
		return File{}, err
	}
	open := func(n int) (blob.Object, error) {
		in, err := o.Files.Blobs.Open(ctx, string(b.sheets[n].FileURL))
		if fault.Is(err, fault.NotFound) {
			return nil, fault.New(fault.Invalid,
				"Sheet %s cannot be put into the packet: its file is missing in the store of this service.",
				b.sheets[n].Name)
		}
		return in, err
	}
	from := drawing.PacketSource{Open: b.within(open)}
	if o.Ask.IncludeAnnotations == nil || *o.Ask.IncludeAnnotations {
		from.Mark = func(book *drawing.MarkBook) error { return b.mark(ctx, book) }
	}
	f, path, err := o.Drawing.Packet(ctx, p, from, o.Progress)
	if err != nil {
		return File{}, err
	}
	return File{Path: path, Type: "application/pdf", Name: p.Title + ".pdf", Close: f.Close}, nil
}

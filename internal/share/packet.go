package share

import (
	"context"
	"fmt"
	"io"

	"groundwork/internal/fault"
	"groundwork/internal/resource"
)

// Packet is what is said of a packet of sheets.
type Packet struct {
	SheetUIDs          []string `json:"sheet_uids" write:"required"`
	IncludeAnnotations *bool    `json:"include_annotations" write:""`
	Cover              *bool    `json:"cover" write:""`
}

// mostSheets is how many sheets a packet may have.
const mostSheets = 1000

// Packets are PDFs of sheets, with what the asker sees drawn on them.
var Packets = &Kind[Packet]{Path: "sheets/packets", Name: "Sheet packet", Check: checkPacket, Make: makePacket}

// checkPacket finds every sheet: fault.NotFound names one that is not there.
func checkPacket(tx *resource.Tx, p *Packet) error {
	switch n := len(p.SheetUIDs); {
	case n == 0:
		return fault.Field("sheet_uids", "It must name at least one sheet.")
	case n > mostSheets:
		return fault.Field("sheet_uids", "It names %d sheets; a packet has at most %d.", n, mostSheets)
	}
	known := map[string]bool{}
	for i, uid := range p.SheetUIDs {
		if known[uid] {
			continue
		}
		known[uid] = true
		row, err := tx.Find("sheets", uid)
		if err != nil {
			return err
		}
		if row.Deleted {
			return fault.Field(fmt.Sprintf("sheet_uids[%d]", i), "Sheet %s is deleted. Restore it first, or leave it out.", uid)
		}
	}
	return nil
}

// drawnSheet is what a packet shows of a sheet.
type drawnSheet struct {
	UID           string         `json:"uid"`
	Name          string         `json:"name"`
	Description   *string        `json:"description"`
	VersionName   string         `json:"version_name"`
	HistorySetUID string         `json:"history_set_uid"`
	FileURL       resource.File  `json:"file_url"`
	TilesURL      resource.Tiles `json:"tiles_url"`
	Width         float64        `json:"width"`
	Height        float64        `json:"height"`
	Links         []callout      `json:"links"`
}

// callout is a place on a sheet that refers to another one.
type callout struct {
	Sheet resource.Ref `json:"sheet"`
	X0    float64      `json:"x0"`
	Y0    float64      `json:"y0"`
	X1    float64      `json:"x1"`
	Y1    float64      `json:"y1"`
}

// makePacket has the packet put together.
func makePacket(ctx context.Context, o *Order[Packet]) (File, error) {
	b := &binding{Order: o, pages: map[string]int{}, histories: map[string]int{}}
	if err := b.collect(ctx); err != nil {
		return File{}, err
	}
	p, err := b.packet(ctx)
	if err != nil {
		return File{}, err
	}
	open := func(n int) (io.ReadCloser, error) {
		in, err := o.Files.Blobs.Open(ctx, string(b.sheets[n].FileURL))
		if fault.Is(err, fault.NotFound) {
			return nil, fault.New(fault.Invalid, "Sheet %s cannot be put into the packet: its file is missing in the store of this service.", b.sheets[n].Name)
		}
		return in, err
	}
	f, path, err := o.Drawing.Packet(ctx, p, open, o.Progress)
	if err != nil {
		return File{}, err
	}
	return File{Path: path, Type: "application/pdf", Name: p.Title + ".pdf", Close: f.Close}, nil
}

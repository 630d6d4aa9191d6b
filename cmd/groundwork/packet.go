package main

import (
	"context"

	"groundwork/internal/identity"
	"groundwork/internal/share"
)

type packetCommand struct {
	delivery      `embed:""`
	Sheets        []string `help:"The numbers of the sheets, in the order of the packet, such as A-101,A-102. Without it all current sheets." placeholder:"A-101,…"`
	Version       string   `help:"The sheets of the version set of this name instead of the current ones." placeholder:"NAME"`
	NoAnnotations bool     `help:"Leave out what is drawn on the sheets."`
	Cover         bool     `help:"Put a cover with an index first."`
}

// Run makes the packet.
func (p *packetCommand) Run(ctx context.Context, c *call) error {
	return p.deliver(ctx, c, func(t *share.Tools, who *identity.Account, progress func(int)) (share.File, error) {
		scope, err := t.Auth.Enter(ctx, who, p.Project)
		if err != nil {
			return share.File{}, err
		}
		uids, err := share.Sheets(ctx, t, scope, share.Choice{Numbers: p.Sheets, Version: p.Version})
		if err != nil {
			return share.File{}, err
		}
		marks := !p.NoAnnotations
		return share.Packets.Now(ctx, t, who, p.Project, share.Packet{
			SheetUIDs: uids, IncludeAnnotations: &marks, Cover: &p.Cover,
		}, progress)
	})
}

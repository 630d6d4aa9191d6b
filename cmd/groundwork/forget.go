package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"groundwork/internal/forget"
	"groundwork/internal/store"
)

// operator is who does what is done at the command line.
const operator = "the operator, at the command line"

type accountErase struct {
	Who  string   `arg:"" help:"The e-mail address or the uid of the account."`
	Also []string `help:"A further text of the person that is looked for, such as a nickname or a telephone number. Can be repeated." sep:"none" placeholder:"TEXT"`
	Yes  bool     `help:"Do it. Without this, what would be done is printed and nothing is changed."`
}

// Run erases the person and prints the proof, or says what that would do.
func (a *accountErase) Run(ctx context.Context, c *call) error {
	who, err := c.app.Forgetting().Find(ctx, a.Who, a.Also)
	if err != nil {
		return err
	}
	if !a.Yes {
		held, err := who.Held(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "%s would be erased. Name, address or further texts are in %s.\n", who.UID, rowsOf(who.Rows))
		for _, h := range held {
			fmt.Fprintf(c.Out, "That is refused while the project %s is held (since %s: %s).\n", h.Project, forget.Day(h.At), h.Why)
		}
		_, err = fmt.Fprintln(c.Out, "Nothing was changed. It cannot be taken back: say --yes to have it done.")
		return err
	}
	proof, err := who.Erase(ctx, operator, time.UnixMicro(c.app.Store.Now()), false)
	if err != nil {
		return err
	}
	return printProof(c.Out, proof)
}

func printProof(to io.Writer, p forget.Proof) error {
	fmt.Fprintf(to, "The person of account %s is erased. What they did stays, under that uid.\n", p.UID)
	fmt.Fprintf(to, "Replaced: %s.\n", rowsOf(p.Replaced))
	fmt.Fprintf(to, "Ended: %s; %s to them not sent; %s removed that had been made for download.\n", rowsOf(p.Ended),
		counted(p.Mails, "mail", "mails"), counted(p.Files, "file", "files"))
	fmt.Fprintf(to, "Taken off %s.\n", counted(len(p.Left), "team", "teams"))
	for _, uid := range p.Stays {
		fmt.Fprintf(to, "The project %s has no other Admin: its team keeps an erased person. Make somebody else Admin.\n", uid)
	}
	if len(p.Remains) > 0 {
		for _, line := range p.Remains {
			fmt.Fprintf(to, "LEFT %s\n", line)
		}
		return fmt.Errorf("Something is left in %s.", counted(len(p.Remains), "place", "places"))
	}
	fmt.Fprintf(to, "Proof: a search for name, address and %s through every text of %s in %s, and the names of %s, found nothing.\n",
		counted(p.Further, "further text", "further texts"), counted(p.Rows, "row", "rows"),
		counted(p.Tables, "table", "tables"), counted(p.Objects, "file", "files"))
	_, err := fmt.Fprintln(to,
		"Not looked into: what is inside uploaded files, archives that were exported, logs, and what people copied.")
	return err
}

// rowsOf says how many rows there are, by table.
func rowsOf(counts map[string]int) string {
	var all []string
	for _, table := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[table]; n > 0 {
			all = append(all, fmt.Sprintf("%s of %s", counted(n, "row", "rows"), table))
		}
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

type projectList struct{}

// Run prints a table of all projects.
func (*projectList) Run(ctx context.Context, c *call) error {
	s := c.app.Forgetting()
	held, err := s.Holds(ctx)
	if err != nil {
		return err
	}
	going, err := s.Pending(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "UID\tNAME\tMEMBERS\tCHANGED\tSTATE\tHELD")
	err = c.app.Store.Projects(ctx, func(p *store.Project) error {
		state, hold := "open", "no"
		name, err := c.app.ProjectName(ctx, p)
		if err != nil {
			return err
		}
		team, err := c.app.Auth.Team(ctx, p)
		if err != nil {
			return err
		}
		clock, _ := p.Stamp()
		for _, g := range going {
			if g.Project == p.UID {
				state = "closed, to be erased on " + forget.Day(g.EraseAt)
			}
		}
		for _, h := range held {
			if h.Project == p.UID {
				hold = fmt.Sprintf("since %s by %s: %s", forget.Day(h.At), h.By, h.Why)
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", p.UID, cmp.Or(printable(name), "-"), team.Members(),
			moment(&clock), state, hold)
		return nil
	})
	if err != nil {
		return err
	}
	return table.Flush()
}

// printable is a text of somebody else as one line: what would move a terminal's cursor or colour it is left out.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, text)
}

type projectErase struct {
	Project string `arg:"" help:"The uid of the project."`
	After   string `help:"How long it can be taken back, such as 36h, 30d or 2w (default: ${erase_after})." default:"${erase_after}" placeholder:"AGE"`
}

// Run closes the project and has it erased later.
func (p *projectErase) Run(ctx context.Context, c *call) error {
	after, err := forget.ParseAge(p.After)
	if err != nil {
		return fmt.Errorf("--after: %w", err)
	}
	at, err := c.app.Forgetting().EraseLater(ctx, p.Project, after, operator)
	if err != nil {
		return err
	}
	if after == 0 {
		if err := c.app.Forgetting().EraseDue(ctx); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Out, "The project %s is erased. Nothing is left of it but that, when and by whom.\n", p.Project)
		return err
	}
	_, err = fmt.Fprintf(c.Out,
		"The project %s is closed, and a server will erase it on %s. Until then: groundwork project keep %s.\n", p.Project,
		forget.Day(at), p.Project)
	return err
}

type projectKeep struct {
	Project string `arg:"" help:"The uid of the project."`
}

// Run opens the project again.
func (p *projectKeep) Run(ctx context.Context, c *call) error {
	if err := c.app.Forgetting().Keep(ctx, p.Project, operator); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "The project %s is kept, and open again.\n", p.Project)
	return err
}

type projectHold struct {
	Project string `arg:"" help:"The uid of the project."`
	Why     string `help:"The reason, which is kept in the audit." required:"" placeholder:"TEXT"`
}

// Run holds the project.
func (p *projectHold) Run(ctx context.Context, c *call) error {
	if err := c.app.Forgetting().Hold(ctx, p.Project, p.Why, operator); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "The project %s is held. Nothing of it is forgotten until the hold is released.\n", p.Project)
	return err
}

type projectRelease struct {
	Project string `arg:"" help:"The uid of the project."`
}

// Run ends the hold.
func (p *projectRelease) Run(ctx context.Context, c *call) error {
	if err := c.app.Forgetting().Release(ctx, p.Project, operator); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "The project %s is no longer held.\n", p.Project)
	return err
}

type erasedCommand struct{}

// Run prints what was erased, a line of JSON each.
func (*erasedCommand) Run(ctx context.Context, c *call) error {
	all, err := c.app.Forgetting().Erasures(ctx)
	for _, e := range all {
		text, problem := json.Marshal(e)
		if problem != nil {
			return problem
		}
		fmt.Fprintf(c.Out, "%s\n", text)
	}
	return err
}

type auditCommand struct {
	Last int `help:"How many lines, the newest last (default: 200)." default:"200" placeholder:"N"`
}

// Run prints the audit.
func (a *auditCommand) Run(ctx context.Context, c *call) error {
	if a.Last < 1 || a.Last > 100_000 {
		return fmt.Errorf("--last is a number from 1 to 100000.")
	}
	all, err := c.app.Forgetting().Audit(ctx, a.Last)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WHEN\tBY\tDID\tSUBJECT\tDETAIL")
	for _, e := range slices.Backward(all) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", e.At.Format(time.RFC3339), e.By, e.Did, e.Subject, e.Detail)
	}
	return table.Flush()
}

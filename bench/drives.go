package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// What is asked of the service, and the same of its rival.

var statuses = []string{"open", "in_review", "pending", "closed"}

const sentence = "The sealant has come off. "

// issue appends the request that makes the issue number at.
func (g *ground) issue(buf []byte, at int, _ *rand.Rand) []byte {
	var b strings.Builder
	b.WriteString(`{"title":"Sealant gap `)
	number := strconv.Itoa(at)
	b.WriteString(strings.Repeat("0", max(0, 6-len(number))) + number)
	b.WriteString(`","description":"`)
	b.WriteString(strings.Repeat(sentence, g.pad/len(sentence)+1)[:g.pad])
	b.WriteString(`","room":"` + strconv.Itoa(100+at%900) + `","status":"` + statuses[at%4] +
		`","type":"issue","assigned_to_uids":["` + g.people[at%people])
	b.WriteString(`"],"issue_list_uid":"` + g.list + `","start_date":"2026-03-01","due_at":"2026-03-31T16:00:00Z",`)
	b.WriteString(`"has_cost_impact":true,"cost_impact":420.5,"has_schedule_impact":true,"schedule_impact":86400}`)
	return appendRequest(buf, "POST", g.project+"/issues", g.headers(), []byte(b.String()))
}

func (g *ground) create(buf []byte, chance *rand.Rand) []byte {
	at := 1
	if chance != nil {
		at = chance.IntN(1_000_000)
	}
	return g.issue(buf, at, chance)
}

// page asks for a list of issues with a fixed query.
func (g *ground) page(query string, more ...string) drive { return g.lists("issues"+query, more...) }

// lists asks for a list of the project.
func (g *ground) lists(path string, more ...string) drive {
	request := appendRequest(nil, "GET", g.project+"/"+path, g.headers()+strings.Join(more, ""), nil)
	return func(buf []byte, _ *rand.Rand) []byte { return append(buf, request...) }
}

// anyPage asks for a page anywhere in the list.
func (g *ground) anyPage(buf []byte, chance *rand.Rand) []byte {
	return appendRequest(buf, "GET", g.project+"/issues?skip="+strconv.Itoa(chance.IntN(g.issues-50)), g.headers(), nil)
}

func (g *ground) get(buf []byte, chance *rand.Rand) []byte {
	return appendRequest(buf, "GET", g.project+"/issues/"+g.uids[chance.IntN(len(g.uids))], g.headers(), nil)
}

func (g *ground) patch(buf []byte, chance *rand.Rand) []byte {
	return appendRequest(buf, "PATCH", g.project+"/issues/"+g.uids[chance.IntN(len(g.uids))], g.headers(), room(chance))
}

// mix is a day's traffic, squeezed.
func (g *ground) mix(buf []byte, chance *rand.Rand) []byte {
	switch chance.IntN(5) {
	case 0:
		return g.anyPage(buf, chance)
	case 1:
		return g.page("?status=open&skip="+strconv.Itoa(chance.IntN(1000)))(buf, chance)
	case 2:
		return g.page("?updated_after="+g.half)(buf, chance)
	case 3:
		return g.create(buf, chance)
	default:
		return g.get(buf, chance)
	}
}

func room(chance *rand.Rand) []byte {
	return []byte(`{"room":"` + strconv.Itoa(chance.IntN(1_000_000)) + `"}`)
}

const bucket = "/api/collections/issues/records"

func (p *rival) page(query string) drive {
	request := appendRequest(nil, "GET", bucket+"?perPage=50&sort=@rowid"+query, p.headers(), nil)
	return func(buf []byte, _ *rand.Rand) []byte { return append(buf, request...) }
}

func (p *rival) get(buf []byte, chance *rand.Rand) []byte {
	return appendRequest(buf, "GET", bucket+"/"+p.IDs[chance.IntN(len(p.IDs))], p.headers(), nil)
}

func (p *rival) patch(buf []byte, chance *rand.Rand) []byte {
	return appendRequest(buf, "PATCH", bucket+"/"+p.IDs[chance.IntN(len(p.IDs))], p.headers(), room(chance))
}

func (p *rival) create(buf []byte, chance *rand.Rand) []byte {
	at := chance.IntN(1_000_000)
	person := p.People[at%people]
	var b strings.Builder
	b.WriteString(`{"number":` + strconv.Itoa(at) + `,"title":"Sealant gap ` + strconv.Itoa(1_000_000 + at)[1:] +
		`","description":"`)
	b.WriteString(strings.Repeat(sentence, p.Pad/len(sentence)+1)[:p.Pad])
	b.WriteString(`","room":"` + strconv.Itoa(100+at%900) + `","status":"` + statuses[at%4] +
		`","type":"issue","assigned_to":"` + person)
	b.WriteString(`","issue_list":"` + p.List +
		`","start_date":"2026-03-01 00:00:00.000Z","due_at":"2026-03-31 16:00:00.000Z","created_by":"` + person + `",`)
	b.WriteString(`"has_cost_impact":true,"cost_impact":420.5,"currency_code":"USD","has_schedule_impact":true,"schedule_impact":86400}`)
	return appendRequest(buf, "POST", bucket, p.headers(), []byte(b.String()))
}

// fixed asks for one path of the floor.
func fixed(path string) drive {
	request := appendRequest(nil, "GET", path, "", nil)
	return func(buf []byte, _ *rand.Rand) []byte { return append(buf, request...) }
}

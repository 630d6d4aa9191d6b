package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/archive"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/identity"
	"groundwork/internal/resource"
)

// The kinds that a mirror knows, since what they say is kept elsewhere here.
const (
	users = "users"
	roles = "roles"
)

// view is what was gathered, as an archive is made of it.
type view struct {
	*gatherer
	here     bool // the project is here from an earlier run
	team     []archive.Member
	strange  map[string]archive.Member // people whom records name and the team does not
	roleUIDs map[string]string         // what a role of the server is called here
	problems map[string]map[string]string
	unknown  map[string]int
	used     map[string]bool // objects
}

func newView(g *gatherer, here bool) *view {
	v := &view{gatherer: g, here: here, roleUIDs: map[string]string{}}
	v.forget()
	return v
}

// forget begins to count problems anew.
func (v *view) forget() {
	v.problems, v.unknown, v.used = map[string]map[string]string{}, map[string]int{}, map[string]bool{}
}

func (v *view) kind(plural string) *resource.Declared {
	i := slices.IndexFunc(v.kinds, func(k resource.Declared) bool { return k.Plural == plural })
	return &v.kinds[i]
}

// shownPerson is what a team record shows of somebody, and what records show of people.
type shownPerson struct {
	UID       string  `json:"uid"`
	Email     string  `json:"email"`
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	Language  *string `json:"language"`
	Company   *string `json:"company"`
	Title     *string `json:"title"`
}

func (p *shownPerson) member() archive.Member {
	return archive.Member{UID: p.UID, Shown: identity.Shown{
		Email: p.Email, FirstName: p.FirstName, LastName: p.LastName, Language: p.Language, Company: p.Company,
		Title: p.Title,
	}}
}

// Team are those whom the server lists, and after them those whom records name.
func (v *view) Team() []archive.Member {
	if v.team != nil {
		return v.team
	}
	known := map[string]bool{}
	addresses := map[string]bool{}
	for _, uid := range v.uids(v.kind(users)) {
		r, _, err := v.read(users, uid)
		if err != nil {
			continue // whoever reads the record says it
		}
		var p shownPerson
		whole, _ := json.Marshal(r)
		_ = json.Unmarshal(whole, &p) // what is not there is blank
		p.UID = uid
		known[uid], addresses[identity.EmailKey(p.Email)] = true, true
		v.team = append(v.team, p.member())
	}
	v.strange = map[string]archive.Member{}
	_ = v.each(func(_ *resource.Declared, _ string, r map[string]json.RawMessage) error {
		for _, raw := range r {
			for _, p := range people(raw) {
				if known[p.UID] || addresses[identity.EmailKey(p.Email)] {
					continue
				}
				known[p.UID], addresses[identity.EmailKey(p.Email)] = true, true
				v.strange[p.UID] = p.member()
				v.team = append(v.team, p.member())
			}
		}
		return nil
	}, func(k *resource.Declared) bool { return k.Plural != users })
	return v.team
}

// people are those whom a value shows, with uid and address.
func people(raw json.RawMessage) (all []shownPerson) {
	if !strings.Contains(string(raw), `"email"`) {
		return nil
	}
	var one shownPerson
	var many []shownPerson
	if json.Unmarshal(raw, &one) == nil {
		many = []shownPerson{one}
	} else if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	for _, p := range many {
		if p.UID != "" && p.Email != "" {
			all = append(all, shownPerson{UID: p.UID, Email: p.Email})
		}
	}
	return all
}

// UIDs are those of a kind's records.
func (v *view) UIDs(plural string) []string {
	uids := v.uids(v.kind(plural))
	switch plural {
	case users:
		for _, m := range v.Team() {
			if _, is := v.strange[m.UID]; is {
				uids = append(uids, m.UID)
			}
		}
	case roles:
		return v.ourRoles(uids)
	}
	return uids
}

// ourRoles are the roles as they are called here: every installation has the same, and servers of others have their
// own.
func (v *view) ourRoles(theirs []string) []string {
	all := []string{auth.Admin.UID(), auth.PowerCollaborator.UID(), auth.Collaborator.UID()}
	labels := []string{"admin", "power collaborator", "collaborator"}
	for _, uid := range theirs {
		if auth.RoleOf(uid) != auth.Nobody {
			v.roleUIDs[uid] = uid
			continue
		}
		r, _, err := v.read(roles, uid)
		i := slices.Index(labels, strings.ToLower(text(r["label"])))
		if err != nil || i < 0 {
			i = len(all) - 1 // the least of rights
			v.Tell(roles, uid, "label", "there is no such role here; whoever has it becomes a Collaborator")
		}
		v.roleUIDs[uid] = all[i]
	}
	return all
}

// Shown is what the server shows of a record, completed with what every record must say.
func (v *view) Shown(plural, uid string) (map[string]jsontext.Value, error) {
	r, ok, err := v.read(plural, uid)
	if err != nil {
		return nil, err
	}
	if !ok {
		r = v.invented(plural, uid)
	}
	shown := make(map[string]jsontext.Value, len(r)+2)
	for name, raw := range r {
		shown[name] = jsontext.Value(raw)
	}
	if isNothing(shown["deleted"]) {
		shown["deleted"] = jsontext.Value("false")
		if !isNothing(shown["removed"]) {
			shown["deleted"] = shown["removed"]
		}
	}
	if isNothing(shown["created_at"]) {
		shown["created_at"] = shown["updated_at"]
	}
	if isNothing(shown["created_at"]) {
		shown["created_at"] = jsontext.Value(`"1970-01-01T00:00:00.000001+00:00"`)
	}
	if plural == users {
		v.role(shown)
	}
	return shown, nil
}

// role is the role of somebody as it is called here.
func (v *view) role(shown map[string]jsontext.Value) {
	var r struct {
		UID string `json:"uid"`
		URL string `json:"url"`
	}
	if json.Unmarshal(shown["role"], &r) == nil && v.roleUIDs[r.UID] != "" {
		r.UID, r.URL = v.roleUIDs[r.UID], ""
		shown["role"], _ = json.Marshal(r) // two texts
	}
}

// invented is a record that the server does not show and others name: somebody who is no longer on the team, or a role.
func (v *view) invented(plural, uid string) map[string]json.RawMessage {
	quoted, _ := json.Marshal(uid) // a text
	r := map[string]json.RawMessage{"uid": quoted}
	switch plural {
	case users:
		r["removed"], r["role"] = json.RawMessage("true"), json.RawMessage("null")
	case roles:
		label, _ := json.Marshal(auth.RoleOf(uid).String()) // a text
		r["label"] = label
	}
	return r
}

// Linked are the uids of a collection.
func (v *view) Linked(plural, uid, name string) []string {
	if a := v.side["links/"+plural+"/"+uid+"/"+name]; a != nil {
		r, _, err := v.read(plural, uid)
		var c collection
		if err == nil && !isNothing(r[name]) && json.Unmarshal(r[name], &c) == nil && c.Total > 0 {
			return a.Targets
		}
	}
	return nil
}

// Past are the changes of a record, oldest first; the server tells them newest first, a line for each field.
func (v *view) Past(plural, uid string) (steps []archive.Step) {
	a := v.side["past/"+plural+"/"+uid]
	if a == nil {
		return nil
	}
	for _, p := range slices.Backward(a.Past) {
		at, ok := document.ParseMoment(p.UpdatedAt)
		if !ok || p.Field == "" {
			continue
		}
		var by shownPerson
		_ = json.Unmarshal(p.UpdatedBy, &by) // the service itself is nobody
		if n := len(steps); n == 0 || steps[n-1].At != at {
			steps = append(steps, archive.Step{At: at, By: by.UID, Fields: map[string][2]jsontext.Value{}})
		}
		pair := [2]jsontext.Value{jsontext.Value(p.OldValue), jsontext.Value(p.NewValue)}
		for i := range pair {
			if len(pair[i]) == 0 {
				pair[i] = jsontext.Value("null")
			}
		}
		steps[len(steps)-1].Fields[p.Field] = pair
	}
	return steps
}

// Object names the file that a field links to.
func (v *view) Object(plural, uid, field, link string) (string, bool) {
	a := v.side["file/"+plural+"/"+uid+"/"+field]
	if a == nil || a.File == nil || a.At != identityOf(link) {
		return "", false
	}
	v.used[a.File.Object] = true
	return a.File.Object, true
}

// Files are all files that were fetched for what the server shows.
func (v *view) Files() (all []archive.CopiedFile) {
	for key, a := range v.side {
		name, is := strings.CutPrefix(key, "file/")
		if !is || a.File == nil || !v.used[a.File.Object] {
			continue
		}
		parts := strings.Split(name, "/")
		record := parts[0] + "/" + parts[1]
		created := int64(1)
		if r, ok, err := v.read(parts[0], parts[1]); err == nil && ok {
			if at, ok := document.ParseMoment(text(r["created_at"])); ok {
				created = at
			}
		}
		f := archive.CopiedFile{
			Object: a.File.Object, Record: record, Type: a.File.Type, Name: a.File.Name, Bytes: a.File.Bytes,
			SHA256: a.File.SHA256, CreatedAt: created,
		}
		if !a.File.Brought || !v.here {
			f.Path = v.path(a.File.Object)
		}
		all = append(all, f)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Object+all[i].Record < all[j].Object+all[j].Record })
	return all
}

// Fresh says that counts are those of now: a log tells when they change, and lists do not.
func (v *view) Fresh() bool { return !v.at.Plain }

// Tell notes what of a record is not kept.
func (v *view) Tell(plural, uid, field, why string) {
	if why == document.NotKnown {
		v.unknown[plural+"."+field]++
		return
	}
	if v.problems[plural] == nil {
		v.problems[plural] = map[string]string{}
	}
	v.problems[plural][uid] = field + ": " + why
}

// compare holds what the server shows against what is here now.
func (v *view) compare(ctx context.Context, into archive.Site, r *Report) error {
	v.forget()
	differ := map[string]map[string]string{}
	say := func(plural, uid, why string) {
		if differ[plural] == nil {
			differ[plural] = map[string]string{}
		}
		differ[plural][uid] = why
	}
	ours, err := archive.Compare(ctx, into, v.project, v, say)
	if err != nil {
		return err
	}
	for plural, all := range v.problems {
		for uid, why := range all {
			say(plural, uid, why)
		}
	}
	for i := range v.kinds {
		k := &v.kinds[i]
		one := KindReport{Kind: k.Plural, Theirs: int64(len(v.uids(k))), Ours: ours[k.Plural]}
		if total := v.at.Lists.Total[k.Plural]; v.at.Plain && total > one.Theirs {
			one.Why = append(one.Why, fmt.Sprintf("the server says that there are %d, and shows %d", total, one.Theirs))
			one.Differing += total - one.Theirs
		}
		if why := v.at.Lists.Refused[k.Plural]; why != "" && one.Theirs == 0 {
			one.Why = append(one.Why, why)
		}
		one.Differing += int64(len(differ[k.Plural]))
		one.Why = append(one.Why, reasons(k.Plural, differ[k.Plural])...)
		if one.Theirs+one.Ours+one.Differing > 0 || len(one.Why) > 0 {
			r.Kinds = append(r.Kinds, one)
		}
	}
	v.notes(r)
	return nil
}

// numbers tells where records are not numbered without gaps, in the order of their making, as they are here.
func (v *view) numbers(r *Report) {
	for i := range v.kinds {
		k, odd := &v.kinds[i], 0
		for n, uid := range v.uids(k) {
			record, ok, err := v.read(k.Plural, uid)
			if err != nil || !ok || isNothing(record["number"]) {
				break
			}
			if string(record["number"]) != strconv.Itoa(n+1) {
				odd++
			}
		}
		if odd > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf(
				"%s: the numbers of the server have gaps or another order (%d); they stay, and one that is made here may get a number that another has",
				k.Plural, odd))
		}
	}
}

// notes tells what holds for many records.
func (v *view) notes(r *Report) {
	for name, n := range v.unknown {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: this release does not know the field; it is left out (%d records)", name, n))
	}
	slices.Sort(r.Notes)
	for plural := range v.order {
		if !slices.ContainsFunc(v.kinds, func(k resource.Declared) bool { return k.Plural == plural }) {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: this release does not know such records; %d are left out", plural, len(v.order[plural])))
		}
	}
	v.numbers(r)
	if len(v.strange) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d people whom records name are not on the team that the server shows; they are here as removed", len(v.strange)))
	}
	if v.at.Plain {
		r.Notes = append(r.Notes, "the server has no change log; its lists were read, and what it does not list is not here")
	}
	if n := len(v.uids(v.kind("sheets"))); n > 0 {
		r.Notes = append(r.Notes, "the words on drawings are not mirrored: sheets are found by their numbers and titles only")
	}
	objects := map[string]bool{}
	for _, a := range v.side {
		if a.File != nil && v.used[a.File.Object] {
			objects[a.File.Object] = true
			r.Files++
			if _, err := os.Stat(v.path(a.File.Object)); a.File.Brought || err == nil && v.options.Dry {
				r.FilesHere++
			}
		} else if a.Why != "" {
			r.Files++
			r.Notes = append(r.Notes, strings.TrimPrefix(a.Key, "file/")+": "+a.Why)
		}
	}
	if record, ok, err := v.read("projects", v.project); ok && err == nil {
		r.Name = text(record["name"])
	}
}

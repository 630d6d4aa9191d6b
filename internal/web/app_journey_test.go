package web_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"groundwork/internal/apitest"
	"groundwork/internal/draft"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
)

// inSpanish is what people read on their way through TestADayOnSite.
var inSpanish = map[string]string{
	"Sheets": "Planos", "Issues": "Incidencias", "My work": "Mi trabajo", "More": "Más", "Close": "Cerrar",
	"Upload drawings": "Subir planos", "Send 1 file": "Enviar 1 archivo", "Accept": "Aceptar", "Publish": "Publicar",
	"sheets published": "planos publicados", "Find or do anything": "Buscar o hacer algo", "Take a photo": "Tomar una foto",
	"Create issue": "Crear incidencia", "Nothing waits for you": "No tiene nada pendiente",
	"Write a comment": "Escribir un comentario", "Send": "Enviar", "Status: Open": "Estado: Abierta", "Closed": "Cerrada",
	"Compare versions": "Comparar versiones", //nolint:misspell // it is Spanish
	"Next change":      "Cambio siguiente", "Change 1 of": "Cambio 1 de",
	"Select": "Seleccionar", "Packet": "Paquete", "Make the packet": "Preparar el paquete",
	"The packet is ready": "El paquete está listo", "Copy the link": "Copiar el enlace", "The link is copied": "Enlace copiado",
	"Download": "Descargar", "Make a report…": "Crear un informe…", "Make the report": "Crear el informe",
	"The report is ready": "El informe está listo",
	// What they write.
	"Issued for construction": "Emitido para construcción", "Handrail loose": "Barandilla suelta",
	"Tightened, both brackets.": "Apretada, los dos soportes.",
}

// TestADayOnSite is what people do with drawings and issues, from signing in to the report in the evening: in a real
// browser, with all that it takes counted. At a desk it is English on SQLite, on a phone Spanish on PostgreSQL; with
// GROUNDWORK_DAY=all also the other way round.
func TestADayOnSite(t *testing.T) {
	b := openBrowser(t)
	apitest.Engines(t, func(t *testing.T, engine string) {
		phone := engine == apitest.Postgres
		day(t, b, engine, phone, phone)
		if os.Getenv("GROUNDWORK_DAY") == "all" {
			t.Run("the other way round", func(t *testing.T) { day(t, b, engine, !phone, phone) })
		}
	})
}

func day(t *testing.T, b *browser, engine string, phone, spanish bool) {
	server := apitest.Start(t, engine, apitest.Reachable())
	work(t, server)
	ada, bob := server.Account("ada", "Ada Lovelace"), server.Account("bob", "Bob Marsh")
	project := ada.Project("Harbour School")
	ada.Invite(project, bob, "Power Collaborator")
	bob.Want(200, "GET", "/projects/"+project, nil)
	plans, number, count := drawings(t, server, ada, project)
	photo := snapped(t)
	api, home := "/projects/"+project, "/app/"+project

	var journal []deed
	defer func() { t.Logf("On %s:\n%s", engine, written(journal)) }()
	a, z := visits(t, b, server, "Ada", phone, spanish, &journal), visits(t, b, server, "Bob", phone, spanish, &journal)
	onPhone := func(phone, desk int) int {
		if a.touches {
			return phone
		}
		return desk
	}

	z.does("signs in and waits for work", 5, func(*testing.T) {
		z.signsIn(bob)
		z.taps("My work")
		z.tells("Nothing waits for you")
		z.look("work")
	})

	a.does("signs in and opens the project", 5, func(*testing.T) {
		a.signsIn(ada)
		a.look("projects")
		a.hits("the project", element("Harbour School"))
		a.worker.at(home)
		a.look("home")
	})

	a.does("sends a set of 30 pages", onPhone(5, 4), func(*testing.T) {
		a.taps("Sheets")
		a.soon(names+`.length === 1`, func() string { return "the sheet from before is not there" })
		a.look("sheets")
		if a.touches {
			a.chooses("Upload drawings", element(a.say("Upload drawings")), plans)
		} else {
			a.drops(plans)
			a.count++
		}
		a.soon(element(a.say("Send 1 file")), func() string { return eval[string](a.tab, shown) })
		a.types(a.say("Issued for construction"))
		a.look("send")
		if a.touches {
			a.taps("Send 1 file")
		} else {
			a.keyed(kb.Enter)
		}
		a.eventually(`document.querySelectorAll('.pictures img').length > 3`, "no page appears while it is read")
		a.look("reading")
	})

	a.does("looks through it and publishes", 6, func(t *testing.T) {
		a.eventually(fmt.Sprintf(`document.querySelectorAll('[data-row-id]').length === %d`, count), "the set is not read")
		a.look("review")
		// Who has no number, or one that another has, gets one; what is only unsure is accepted.
		const doubtful = `document.querySelector('[data-row-id].doubtful')`
		for i := 1; eval[bool](a.tab, `Boolean(`+doubtful+`)`); i++ {
			if i > 60 {
				t.Fatal("there is no end of doubts: " + eval[string](a.tab, shown))
			}
			if eval[bool](a.tab, doubtful+`.matches('.bad')`) {
				a.hits("the number", doubtful+`.querySelector('[data-field=name]')`)
				a.types(fmt.Sprintf("X-%d", i))
			} else {
				a.hits(a.say("Accept"), doubtful+`.querySelector('.acts button')`)
			}
			a.drawn()
		}
		a.look("reviewed")
		a.taps("Publish")
		a.tells("sheets published")
		only(t, server, ada, project, number)
		a.look("published")
	})

	a.does("opens a sheet by its number", 3, func(*testing.T) {
		if a.touches {
			a.taps("Find or do anything")
		} else {
			a.keyed("k", chromedp.ModifierCtrl)
		}
		a.soon(`document.activeElement.role === 'combobox'`, func() string { return "nothing can be looked for" })
		a.types(strings.ToLower(number))
		a.soon(`document.querySelector('#palette-0')?.innerText.includes(`+fmt.Sprintf("%q", number)+`)`, func() string {
			return "the sheet is not found: " + eval[string](a.tab, shown)
		})
		a.look("palette")
		if a.touches {
			a.hits("the sheet", `document.querySelector('#palette-0')`)
		} else {
			a.keyed(kb.Enter)
		}
		// Who is faster than the service sees it as soon as it is prepared.
		a.eventually(`document.querySelector('.stage[aria-busy=false][data-view]')`, "the drawing never came")
		a.look("drawing")
	})

	// The pin is in sight, also where a panel covers much of the drawing.
	const pinned = `(r => { const top = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
		return top?.closest('.stage') })(document.querySelector('.layer [data-kind=stamp]').getBoundingClientRect())`
	issue := ""
	a.does("pins an issue with a photo and a name", 6, func(t *testing.T) {
		if a.touches { // a long press
			x, y := a.hand.at(spot{0.45, 0.4})
			a.count++
			a.fingers("touchStart", finger(x, y, 1))
			a.soon(`document.querySelector('aside form')`, func() string { return "a long press does not pin" })
			a.fingers("touchEnd")
		} else {
			a.hits("the pin", `document.querySelector('[data-tool=pin]')`)
			a.touch(a.hand.at(spot{0.45, 0.4}))
		}
		a.types(a.say("Handrail loose"))
		a.hits("Bob", element("Bob Marsh"))
		if a.touches {
			a.chooses("the camera", `document.querySelector('aside input[capture]')`, photo)
		} else {
			x, y := a.place("the form", `document.querySelector('aside form')`)
			a.dropsAt(x, y, photo)
			a.count++
		}
		a.soon(`document.querySelector('aside .picture img')?.naturalWidth > 0`, func() string { return "the photo is not shown" })
		a.soon(pinned, func() string { return "the pin cannot be seen beside the form" })
		a.look("pin")
		a.taps("Create issue")
		a.soon(`document.querySelector('aside .photos .one img')?.naturalWidth > 0`, func() string {
			return "the photo is not with the issue: " + eval[string](a.tab, shown)
		})
		a.patiently(func() bool {
			made := ada.Want(200, "GET", api+"/issues", nil)
			if made.Text("total_count") != "1" || made.Text("data.0.photos.total_count") != "1" {
				return false
			}
			issue = made.Text("data.0.uid")
			_, err := made.Value("data.0.current_annotation.sheet.uid")
			return err == nil
		}, "the issue never arrived with its photo and its place")
		made := ada.Want(200, "GET", api+"/issues/"+issue, nil)
		on := ada.Want(200, "GET", api+"/sheets/"+made.Text("current_annotation.sheet.uid"), nil)
		if made.Text("title") != a.say("Handrail loose") || made.Text("assigned_to.0.uid") != bob.UID || on.Text("name") != number {
			t.Errorf("the issue is %s", made.Body)
		}
		a.look("pinned")
	})

	z.does("sees it come, answers, closes it", 6, func(*testing.T) {
		const row = `document.querySelector('#main a[data-row]')`
		z.soon(row, func() string { return "the issue does not come by itself: " + eval[string](z.tab, shown) })
		z.reads(z.say("Handrail loose"))
		z.look("come")
		z.hits("the issue", row)
		z.soon(`[...document.querySelectorAll('.photos .one img')].some(i => i.naturalWidth > 0)`, func() string {
			return "the photo is not shown: " + eval[string](z.tab, shown)
		})
		z.soon(`document.querySelector('.place .crop')?.getBoundingClientRect().height > 60`, func() string {
			return "the place on the drawing is not shown"
		})
		z.look("issue")
		z.hits("the comment", field(z.say("Write a comment")))
		z.types(z.say("Tightened, both brackets."))
		z.taps("Send")
		z.taps("Status: Open")
		z.look("status")
		z.taps("Closed")
		z.patiently(func() bool {
			return bob.Want(200, "GET", api+"/issues/"+issue, nil).Text("status") == "closed"
		}, "it is not closed")
		z.look("closed")
	})

	a.does("sees the answer without doing anything", 0, func(*testing.T) {
		a.reads(a.say("Tightened, both brackets."))
		a.reads(a.say("Closed"))
		a.soon(`document.querySelector('.layer [data-kind=stamp] circle')?.getAttribute('fill') === '#ffffff'`, func() string {
			return "the pin does not show that the issue is closed"
		})
		a.look("answered")
	})

	a.does("compares it with the version before", 3, func(*testing.T) {
		a.hits("the version", `document.querySelector('button.version')`)
		a.look("versions")
		a.taps("Compare versions")
		a.soon(`document.querySelector('.pair[aria-busy=false]') && Number(document.querySelector('[data-changes]').dataset.changes) > 0`,
			func() string { return "no change is found: " + eval[string](a.tab, shown) })
		a.look("compare")
		a.taps("Next change")
		a.tells("Change 1 of")
		a.look("change")
	})

	a.does("makes a packet of three sheets", 10, func(t *testing.T) {
		a.taps("Sheets")
		a.soon(names+`.length >= 30`, func() string { return "the sheets are not there" })
		sheet := func(n int) string { return fmt.Sprintf(`document.querySelectorAll('li[data-uid]')[%d]`, n) }
		a.hits("the menu", sheet(0)+`.querySelector('.menu button')`)
		a.taps("Select")
		a.hits("the second", sheet(1)+`.querySelector('[data-sheet]')`)
		a.hits("the third", sheet(2)+`.querySelector('[data-sheet]')`)
		a.look("chosen")
		a.taps("Packet")
		a.taps("Make the packet")
		a.look("packing")
		a.eventually(shown+`.includes(`+fmt.Sprintf("%q", a.say("The packet is ready"))+`)`, "the packet is not made")
		a.look("packet")
		link := eval[string](a.tab, `document.querySelector('dialog a[download]').href`)
		a.taps("Copy the link")
		a.tells("The link is copied")
		a.taps("Download")
		mine, theirs := a.gets(), server.Fetch(link, nil)
		if !bytes.HasPrefix(mine, []byte("%PDF")) || theirs.Status != 200 || !theirs.Is(mine) {
			t.Errorf("downloaded were %d bytes, %.20q; who has the link gets %d, %.20q", len(mine), mine, theirs.Status, theirs.Body)
		}
		a.taps("Close")
	})

	a.does("makes a report of the issues", 5, func(t *testing.T) {
		a.taps("Issues")
		a.rows(1)
		a.look("issues")
		a.taps("More")
		a.taps("Make a report…")
		a.look("report")
		a.taps("Make the report")
		a.eventually(shown+`.includes(`+fmt.Sprintf("%q", a.say("The report is ready"))+`)`, "the report is not made")
		a.look("reported")
		a.taps("Download")
		if report := a.gets(); !bytes.HasPrefix(report, []byte("%PDF")) {
			t.Errorf("the report is %.20q", report)
		}
	})
	for _, v := range []*newcomer{a, z} {
		elsewhere, console := v.seen(server.URL)
		elsewhere = slices.DeleteFunc(elsewhere, func(url string) bool { return strings.HasPrefix(url, "blob:"+server.URL) })
		if len(elsewhere) > 0 || len(console) > 0 {
			t.Errorf("%s's browser asked elsewhere: %q; its console says: %q", v.who, elsewhere, console)
		}
	}
}

// drawings publishes one sheet as it was before, and gives a set of 30 pages in which it has changed, its number, and
// how many pages there are to look at.
func drawings(t *testing.T, server *apitest.Server, ada *apitest.Person, project string) (set, number string, n int) {
	t.Helper()
	var before, now bytes.Buffer
	if _, err := draft.Write(&before, draft.Options{Seed: 7, Sheets: 30, Plain: true}); err != nil {
		t.Fatal(err)
	}
	drawn, err := draft.Write(&now, draft.Options{Seed: 7, Sheets: 30, Revision: 1})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(drawn.Pages, func(p draft.Page) bool { return p.Changed && !p.Outlined })
	s := &site{Server: server, t: t, ada: ada, project: project}
	number = drawn.Pages[at].Number
	old := ada.UploadSet(project, "Issued for permit", true,
		apitest.SetFile{Name: number + ".pdf", Content: s.split(before.Bytes(), at+1)})
	published(t, ada, project, old, 1)
	set = filepath.Join(t.TempDir(), "plans.pdf")
	if err := os.WriteFile(set, now.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return set, number, len(drawn.Pages)
}

// only has the sheets that nobody will open not cut into tiles, which would be most of what this test takes.
func only(t *testing.T, server *apitest.Server, ada *apitest.Person, project, number string) {
	t.Helper()
	list, err := ada.Want(200, "GET", "/projects/"+project+"/sheets?limit=50", nil).Value("data")
	if err != nil {
		t.Fatal(err)
	}
	wanted := ""
	for _, one := range list.([]any) {
		if sheet := one.(map[string]any); sheet["name"] == number && sheet["current"] == true {
			wanted = sheet["uid"].(string)
		}
	}
	err = server.App.Store.In(store.JobsOffice).Write(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("DELETE FROM jobs WHERE kind = $1 AND state = 0 AND args NOT LIKE $2", register.Tiling, "%"+wanted+"%")
	})
	if wanted == "" || err != nil {
		t.Fatalf("there is no sheet %s, or %v", number, err)
	}
}

// snapped is a photo of something, in a file.
func snapped(t *testing.T) string {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 1200, 900))
	for y := range 900 {
		for x := range 1200 {
			grey := uint8(150 + 60*y/900)
			shade := color.RGBA{grey, grey - 8, grey - 20, 255}
			if x%300 < 36 || y > 180 && y < 240 { // posts and a rail
				shade = color.RGBA{uint8(60 + x%300), 64, 58, 255}
			}
			picture.Set(x, y, shade)
		}
	}
	path := filepath.Join(t.TempDir(), "north stair.jpg")
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

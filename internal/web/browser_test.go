package web_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// browser is a real one. It knows no name of any other machine: what a page does not get from this one, it does not
// get.
type browser struct{ ctx context.Context }

func openBrowser(t *testing.T) *browser {
	t.Helper()
	flag := chromedp.Flag
	ctx, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.UserDataDir(t.TempDir()),
		flag("disable-quic", true), flag("disable-background-networking", true), flag("disable-component-update", true),
		flag("disable-sync", true),
		flag("hide-scrollbars", true), flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		shut()
		stop()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("No browser could be started; make test-browser installs one: %v", err)
	}
	return &browser{ctx}
}

// apart is the browser as somebody else's, on the same machine: with cookies and storage of their own.
func (b *browser) apart(t *testing.T) *browser {
	t.Helper()
	ctx, shut := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(shut)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return &browser{ctx}
}

// tab is a tab of a width, as its reader uses it. What happens in it is remembered.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	console  []string
}

// patience is how long a page may take for anything; a machine that builds something else at the same time is slow.
const patience = 45 * time.Second

func (b *browser) tab(t *testing.T, width, height int64, scheme string) *tab {
	t.Helper()
	ctx, shut := chromedp.NewContext(b.ctx)
	t.Cleanup(shut)
	if err := chromedp.Do(ctx); err != nil { // the tab lives as long as the context of its first step
		t.Fatal(err)
	}
	page := &tab{t: t, ctx: ctx}
	page.do(chromedp.EmulateViewport(width, height))
	page.prefer(scheme)
	requests, console := chromedp.Events(ctx, network.RequestWillBeSent), chromedp.Console(ctx)
	go func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			page.mu.Lock()
			page.requests = append(page.requests, r.Request.URL)
			page.mu.Unlock()
		}
	}()
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			if strings.Contains(m.String(), "Autofocus processing was blocked") {
				continue // the test used the page before it was first drawn, which is no fault of the page
			}
			page.mu.Lock()
			page.console = append(page.console, m.String())
			page.mu.Unlock()
		}
	}()
	return page
}

// prefer sets the colour scheme that the reader likes: light or dark.
func (p *tab) prefer(scheme string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
	if err != nil {
		p.t.Fatal(err)
	}
}

// networked has the network of a page be so, or as it is. Chromium to 148 reads whether there is one beside the
// conditions and refuses what does not say so; later ones read it within them.
func (p *tab) networked(conditions ...*network.Conditions) {
	p.t.Helper()
	type params struct {
		network.EmulateNetworkConditionsByRuleParams
		Offline bool `json:"offline"`
	}
	offline := slices.ContainsFunc(conditions, func(c *network.Conditions) bool { return c.Offline })
	_, err := chromedp.Call(p.ctx,
		cdp.Command[params, cdp.Empty]{Method: network.CommandEmulateNetworkConditionsByRule},
		params{network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions:    append([]*network.Conditions{}, conditions...),
			EmulateOfflineServiceWorker: &offline,
		}, offline})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) open(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
}

func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

func (p *tab) enter(selector, text string) {
	p.t.Helper()
	p.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// eval gives what an expression of the page is.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// wait waits until an expression is true in the page.
func (p *tab) wait(expression string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`new Promise((done, fail) => {
		const end = Date.now() + %d;
		const look = () => {
			if (%s) done(true);
			else if (Date.now() > end) fail(new Error('it never came true'));
			else requestAnimationFrame(look);
		};
		look();
	})`, (patience-5*time.Second).Milliseconds(), expression))
}

// seen gives what happened so far: requests to elsewhere, and messages in the console.
func (p *tab) seen(origin string) (elsewhere, console []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, url := range p.requests {
		if !strings.HasPrefix(url, origin+"/") && !strings.HasPrefix(url, "data:") {
			elsewhere = append(elsewhere, url)
		}
	}
	if len(p.requests) == 0 {
		p.t.Error("not one request was seen: the recording is broken")
	}
	return elsewhere, p.console
}

// barriers are what axe finds wrong for people who do not see well, or use the keyboard: in everything inside an
// element, whoever wrote it.
func (p *tab) barriers(inside string) []string {
	p.t.Helper()
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	if err != nil {
		p.t.Fatal(err)
	}
	return eval[[]string](p, string(axe)+`;
		axe.run('`+inside+`').then(result => {
			if (result.passes.length === 0) throw new Error('axe found nothing to look at');
			return result.violations.flatMap(v => v.nodes.map(n => v.impact + ' ' + v.id + ': ' + n.target.join(' ') + ': ' + n.failureSummary));
		})`)
}

// patiently asks until something is so.
func (p *tab) patiently(so func() bool, otherwise string) {
	p.t.Helper()
	for end := time.Now().Add(patience); !so(); {
		if time.Now().After(end) {
			p.t.Fatal(otherwise)
		}
		eval[bool](p, `new Promise(done => requestAnimationFrame(() => done(true)))`)
	}
}

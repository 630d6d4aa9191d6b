package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// firstCode is the code that an installation without accounts prints.
var firstCode = regexp.MustCompile(`(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}`)

// screen is a real browser, as somebody sits before it.
type screen struct{ ctx context.Context }

// openScreen opens a browser in a folder of its own.
func openScreen(ctx context.Context, folder string) (*screen, func(), error) {
	ctx, stop := chromedp.NewExecAllocator(ctx, chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.UserDataDir(folder))
	ctx, shut := chromedp.NewContext(ctx)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil {
		shut()
		stop()
		return nil, nil, fmt.Errorf("a drawing is looked at in a browser, and none can be started: "+
			"apt-get install chromium fonts-dejavu-core: %w", err)
	}
	return &screen{ctx}, func() { shut(); stop() }, nil
}

// called finds the button or link of a name, in a dialog before all else.
func called(name string) string {
	return fmt.Sprintf(`(all => all.findLast(e => e.closest('dialog')) ?? all[0])([...document.querySelectorAll('button, a')]
		.filter(e => [e.getAttribute('aria-label'), e.innerText.trim().split('\n')[0]].includes(%q) && e.checkVisibility() &&
			!e.disabled))`, name)
}

// await waits until an expression holds in the page; pages may follow each other meanwhile.
func (s *screen) await(expression string) error {
	var seen string
	for end := time.Now().Add(within); time.Now().Before(end); {
		so, err := chromedp.Run(s.ctx, chromedp.Evaluate[bool](`Boolean(`+expression+`)`))
		if err == nil && so {
			return nil
		}
		if seen, err = chromedp.Run(s.ctx, chromedp.Evaluate[string](
			`location.pathname + '\n' + document.body?.innerText`)); err != nil {
			seen = err.Error()
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("%s never came true; the page is %s", expression, seen)
}

func (s *screen) press(name string) error {
	if err := s.await(called(name)); err != nil {
		return err
	}
	_, err := chromedp.Run(s.ctx, chromedp.Evaluate[bool](called(name)+`.click() ?? true`))
	return err
}

// fill writes into fields: selector, text and so on.
func (s *screen) fill(fields ...string) error {
	for i := 0; i+1 < len(fields); i += 2 {
		if err := s.await(fmt.Sprintf(`document.querySelector(%q)`, fields[i])); err != nil {
			return err
		}
		if err := chromedp.Do(s.ctx, chromedp.SendKeys(chromedp.CSS(fields[i]), fields[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// choose presses what opens the browser's choice of files, and chooses one.
func (s *screen) choose(name, path string) error {
	ctx, cancel := context.WithTimeout(s.ctx, within)
	defer cancel()
	opened := chromedp.Events(ctx, page.FileChooserOpened)
	taken := page.SetInterceptFileChooserDialogParams{Enabled: true}
	if _, err := chromedp.Call(ctx, page.SetInterceptFileChooserDialog, taken); err != nil {
		return err
	}
	// A script may not open it; a person's click does.
	if err := s.await(called(name)); err != nil {
		return err
	}
	if _, err := chromedp.Run(s.ctx, chromedp.Evaluate[bool](
		called(name)+`.setAttribute('data-choose', '') ?? true`)); err != nil {
		return err
	}
	if err := chromedp.Do(s.ctx, chromedp.Click(chromedp.CSS("[data-choose]"))); err != nil {
		return err
	}
	for event, err := range opened {
		if err != nil {
			return err
		}
		_, err := chromedp.Call(s.ctx, dom.SetFileInputFiles,
			dom.SetFileInputFilesParams{Files: []string{path}, BackendNodeID: event.BackendNodeID})
		return err
	}
	return errors.New("no choice of files opened")
}

// firstMinutes goes from the address of an empty installation to a drawing, and gives the project. The picture is what
// is on the screen then.
func (s *screen) firstMinutes(address, code, drawing, picture string, say func(string, ...any)) (string, error) {
	for _, step := range []func() error{
		func() error { return chromedp.Do(s.ctx, chromedp.Navigate("http://"+address+"/")) },
		func() error {
			return s.fill("#code", code, "#name", "Ada Lovelace", "#email", "ada@example.com", "#password",
				"seven green glass bottles")
		},
		func() error { return s.press("Make the account") },
		func() error { return s.await(called("Make the project")) },
		func() error { say("the first account is made in a browser"); return s.fill("#name", "Bridge") },
		func() error { return s.press("Make the project") },
		func() error { return s.press("Sheets") },
		func() error { return s.choose("Upload drawings", drawing) },
		func() error { return s.await(called("Send 1 file")) },
		func() error { return chromedp.Do(s.ctx, chromedp.KeyEvent("Issued for construction")) },
		func() error { return s.press("Send 1 file") },
		func() error { return s.await(`document.querySelector('[data-row-id]')`) },
		func() error { say("the first drawing is read"); return s.press("Publish") },
		func() error { return s.press("See the sheets") },
		func() error { return s.press("A-101") },
		func() error { return s.await(`document.querySelector('.stage[aria-busy=false][data-view]')`) },
	} {
		if err := step(); err != nil {
			return "", err
		}
	}
	project, err := chromedp.Run(s.ctx, chromedp.Evaluate[string](`location.pathname.split('/')[2]`))
	if err != nil {
		return "", err
	}
	shot, err := chromedp.Run(s.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return "", err
	}
	say("the first drawing is on the screen: %s", picture)
	return project, os.WriteFile(picture, shot, 0o644)
}

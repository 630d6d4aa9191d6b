package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// earlier is the version that try upgrades from: the same program, which says that it is older.
const earlier = "0.0.0+earlier"

// mirrorVariable names where debootstrap gets Debian from, where its own default cannot be reached.
const mirrorVariable = "GROUNDWORK_TRY_MIRROR"

// trial is a fresh Debian in which a package is tried. It needs the superuser.
type trial struct {
	root  string
	began time.Time
	// picture is the file of what is on the screen after the first minutes.
	picture string
}

// try installs the .deb of this machine in a fresh Debian, makes the first account and drawing, upgrades it while
// people work, removes and purges it, and sees that the data is still there.
func (r *release) try(ctx context.Context, keep string) error {
	if os.Getuid() != 0 {
		return errors.New("a Debian is made and entered by the superuser: run this with sudo")
	}
	top, err := os.MkdirTemp("", "groundwork-release-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	old := *r
	old.version = earlier
	var packages [2]string
	for i, one := range []*release{&old, r} {
		b, err := one.compile(ctx, here(), filepath.Join(top, fmt.Sprint(i)))
		if err != nil {
			return err
		}
		if packages[i], err = one.pack("deb", b, top); err != nil {
			return err
		}
	}
	t := &trial{root: filepath.Join(top, "root"), picture: filepath.Join(r.top, "bin", "first-drawing.png")}
	if err := t.bootstrap(ctx, keep); err != nil {
		return err
	}
	if _, err := command(ctx, "", nil, "mount", "-t", "proc", "proc", filepath.Join(t.root, "proc")); err != nil {
		return err
	}
	defer func() { _, _ = command(context.WithoutCancel(ctx), "", nil, "umount", filepath.Join(t.root, "proc")) }()
	return t.live(ctx, packages[0], packages[1], r.version)
}

// bootstrap makes the Debian, or copies the one that an earlier run has kept.
func (t *trial) bootstrap(ctx context.Context, keep string) error {
	t.began = time.Now()
	kept := filepath.Join(keep, "debian.tar")
	if err := os.Mkdir(t.root, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(kept); keep != "" && err == nil {
		_, err := command(ctx, "", nil, "tar", "-C", t.root, "-xf", kept)
		t.say("a Debian as it was kept in %s", kept)
		return err
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		return errors.New("debootstrap makes the Debian, and is not here: apt-get install debootstrap")
	}
	suite, err := command(ctx, "", nil, "sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME")
	if err != nil {
		return err
	}
	args := []string{"--variant=minbase", strings.TrimSpace(suite), t.root}
	if mirror := os.Getenv(mirrorVariable); mirror != "" {
		args = append(args, mirror)
	}
	if _, err := command(ctx, "", nil, "debootstrap", args...); err != nil {
		return err
	}
	t.say("a fresh Debian, %s", strings.TrimSpace(suite))
	if keep == "" {
		return nil
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return err
	}
	_, err = command(ctx, "", nil, "tar", "-C", t.root, "-cf", kept, ".")
	return err
}

// say prints what is done, and when.
func (t *trial) say(format string, args ...any) {
	fmt.Printf("%6.1f s  %s\n", time.Since(t.began).Seconds(), fmt.Sprintf(format, args...))
}

// enter is how a program is started in the Debian; it sees no setting of whoever tries.
func (t *trial) enter(args ...string) []string {
	return append([]string{
		t.root, "/usr/bin/env", "-i", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C",
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
	}, args...)
}

// in runs a program in the Debian.
func (t *trial) in(ctx context.Context, args ...string) (string, error) {
	out, err := command(ctx, "", nil, "chroot", t.enter(args...)...)
	return strings.TrimSpace(out), err
}

// expect fails unless something is as it should be.
func expect(what, got, want string) error {
	if got != want {
		return fmt.Errorf("%s is %q, and should be %q", what, got, want)
	}
	return nil
}

// install installs a package file as docs/operating.md says, and gives what was said.
func (t *trial) install(ctx context.Context, path string) (string, error) {
	inner := "/" + filepath.Base(path)
	if _, err := command(ctx, "", nil, "cp", path, t.root+inner); err != nil {
		return "", err
	}
	return t.in(ctx, "apt-get", "install", "--yes", "--no-install-recommends", inner)
}

// live is the life of an installation.
func (t *trial) live(ctx context.Context, old, next, version string) error {
	t.began = time.Now()
	if _, err := t.install(ctx, old); err != nil {
		return err
	}
	t.say("installed %s", filepath.Base(old))
	for path, want := range map[string]string{
		"/etc/groundwork/env": "640 root groundwork", "/var/lib/groundwork": "700 groundwork groundwork",
		"/usr/bin/groundwork": "755 root root",
	} {
		got, err := t.in(ctx, "stat", "-c", "%a %U %G", path)
		if err = errors.Join(err, expect(path, got, want)); err != nil {
			return err
		}
	}
	t.verifyUnit(ctx)
	if err := t.choosePort(); err != nil {
		return err
	}
	server, err := t.serve(ctx)
	if err != nil {
		return fmt.Errorf("the first start failed: %w", err)
	}
	began, err := t.begin(ctx, server)
	if err != nil {
		return errors.Join(err, server.stop())
	}
	if err := t.upgrade(ctx, server, began, next); err != nil {
		return err
	}
	return t.changeOver(ctx, next, version)
}

// upgrade installs the newer package while people work, and restarts the service as systemd would: there is none in the
// Debian.
func (t *trial) upgrade(ctx context.Context, server *server, began *start, next string) error {
	l := loadOn(ctx, began.address, began.key, began.project)
	defer l.end()
	err := l.succeeded(time.Now())
	if err == nil {
		_, err = t.install(ctx, next)
	}
	if err != nil {
		return errors.Join(err, server.stop())
	}
	stopped := time.Now()
	if err := server.stop(); err != nil {
		return fmt.Errorf("the old program does not stop as it should: %w", err)
	}
	if server, err = t.serve(ctx); err != nil {
		return fmt.Errorf("the start after the upgrade failed: %w", err)
	}
	serves := time.Now()
	err = l.succeeded(serves.Add(time.Second))
	l.end()
	if err == nil {
		err = t.weigh(ctx, l, began, stopped, serves)
	}
	return errors.Join(err, server.stop())
}

// weigh prints what an upgrade did to the load, and sees that all is there that was acknowledged.
func (t *trial) weigh(ctx context.Context, l *load, began *start, stopped, serves time.Time) error {
	o, err := judge(l.asked, stopped, serves)
	if err != nil {
		return err
	}
	var issues struct {
		Total int `json:"total_count"`
	}
	if err := l.ask(ctx, "GET", "/projects/"+began.project+"/issues?limit=1", "", &issues); err != nil {
		return err
	}
	if issues.Total < o.acknowledged || issues.Total > o.acknowledged+o.uncertain {
		return fmt.Errorf("%d writes were acknowledged and %d cut off, but %d are there", o.acknowledged, o.uncertain,
			issues.Total)
	}
	t.say("upgraded under load (no systemd here: the program is stopped and started directly): %d requests answered "+
		"before, %d after, %d failed, all during the restart; the gap is %d ms; all %d acknowledged writes are there",
		o.before, o.after, o.lost, o.gap.Milliseconds(), o.acknowledged)
	return nil
}

// changeOver removes, purges and installs again; the account must live through all of it.
func (t *trial) changeOver(ctx context.Context, next, version string) error {
	said, err := t.in(ctx, "groundwork", "--version")
	if err != nil || !strings.HasPrefix(said, "groundwork "+version+" ") {
		return fmt.Errorf("after the upgrade the program says %q: %w", said, err)
	}
	t.say("upgraded: %s", said)
	if err := t.hasAccount(ctx, "the upgrade"); err != nil {
		return err
	}
	if _, err := t.in(ctx, "dpkg", "--remove", "groundwork"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(t.root, "etc/groundwork/env")); err != nil {
		return fmt.Errorf("the settings do not outlive the removal: %w", err)
	}
	t.say("removed; the settings stay")
	if said, err = t.in(ctx, "dpkg", "--purge", "groundwork"); err != nil {
		return err
	}
	if !strings.Contains(said, "stays in /var/lib/groundwork") {
		return fmt.Errorf("who purges is not told where the data lies: %s", said)
	}
	if _, err := os.Stat(filepath.Join(t.root, "etc/groundwork/env")); err == nil {
		return errors.New("the settings outlive the purge")
	}
	if _, err := os.Stat(filepath.Join(t.root, "var/lib/groundwork/groundwork.db")); err != nil {
		return fmt.Errorf("the data does not outlive the purge: %w", err)
	}
	t.say("purged; the data stays, and dpkg says where")
	if _, err := t.install(ctx, next); err != nil {
		return err
	}
	if err := t.hasAccount(ctx, "the purge"); err != nil {
		return err
	}
	t.say("installed again on the same data")
	return nil
}

// hasAccount sees that the first account is still there, in a server that runs.
func (t *trial) hasAccount(ctx context.Context, after string) error {
	_, err := t.serveOnce(ctx, func() (string, error) {
		list, err := t.in(ctx, "groundworkctl", "account", "list")
		if err == nil && !strings.Contains(list, "ada@example.com") {
			err = fmt.Errorf("the account did not outlive %s:\n%s", after, list)
		}
		return list, err
	})
	return err
}

// serve starts the service with its settings as its user, as the unit does.
func (t *trial) serve(ctx context.Context) (*server, error) {
	return serve(exec.CommandContext(ctx, "chroot", t.enter("groundworkctl", "serve")...))
}

// serveOnce starts the service, has something done, and stops it.
func (t *trial) serveOnce(ctx context.Context, do func() (string, error)) (string, error) {
	s, err := t.serve(ctx)
	if err != nil {
		return "", err
	}
	out, err := do()
	return out, errors.Join(err, s.stop())
}

// choosePort writes a free address into the settings, as an operator would.
func (t *trial) choosePort() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return err
	}
	path := filepath.Join(t.root, "etc/groundwork/env")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed := strings.Replace(string(text), "GROUNDWORK_LISTEN=127.0.0.1:8080", "GROUNDWORK_LISTEN="+address, 1)
	return os.WriteFile(path, []byte(changed), 0o640)
}

// verifyUnit has systemd read the unit, where this machine has it, and prints how exposed it finds it.
func (t *trial) verifyUnit(ctx context.Context) {
	const unit = "groundwork.service"
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.say("NOT RUN: systemd-analyze is not here to read the unit")
		return
	}
	said, err := command(ctx, "", nil, "systemd-analyze", "--root="+t.root, "verify", unit)
	t.say("systemd-analyze verify: %s", outcome(said, err))
	said, err = command(ctx, "", nil, "systemd-analyze", "--root="+t.root, "--offline=true", "--no-pager", "security",
		unit)
	lines := strings.Split(strings.TrimSpace(said), "\n")
	t.say("systemd-analyze security: %s", outcome(strings.TrimLeft(lines[len(lines)-1], "→ "), err))
}

// outcome is what is printed of a look that decides nothing.
func outcome(said string, err error) string {
	if err != nil {
		return "it says: " + err.Error()
	}
	if said = strings.TrimSpace(said); said == "" {
		return "nothing to complain of"
	}
	return said
}

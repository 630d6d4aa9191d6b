package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
)

// rig is one store, empty at first, and the ways in which tests look behind it.
type rig struct {
	blob.Store
	// leftovers counts what unfinished writes hold.
	leftovers func() int
	// interrupt begins a write of more than a part and has it end as if the process had died.
	interrupt func(t *testing.T)
}

// backends runs a test on every kind of store.
func backends(t *testing.T, test func(t *testing.T, r *rig)) {
	for name, open := range map[string]func(t *testing.T) *rig{"folder": folderRig, "bucket": bucketRig} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// content is n bytes that never repeat, the same for the same seed.
func content(seed uint64, n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	_, _ = r.Read(b) // never fails
	return b
}

func put(t *testing.T, s blob.Store, b []byte) string {
	t.Helper()
	name := blob.NewName()
	size, err := s.Put(t.Context(), name, bytes.NewReader(b))
	if err != nil || size != int64(len(b)) {
		t.Fatalf("put %d bytes: %d, %v", len(b), size, err)
	}
	return name
}

func get(t *testing.T, s blob.Store, name string) []byte {
	t.Helper()
	o, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	b, err := io.ReadAll(o)
	if err != nil || int64(len(b)) != o.Size() {
		t.Fatalf("read %d of %d bytes: %v", len(b), o.Size(), err)
	}
	return b
}

func names(t *testing.T, s blob.Store) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	err := s.Each(t.Context(), func(i blob.Info) error {
		if _, twice := found[i.Name]; twice {
			t.Errorf("%s is told of twice", i.Name)
		}
		if age := time.Since(i.Modified); age < -time.Minute || age > time.Hour {
			t.Errorf("%s was made at %v", i.Name, i.Modified)
		}
		found[i.Name] = i.Size
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// absent holds that nothing is to be seen of a name.
func absent(t *testing.T, s blob.Store, name string) {
	t.Helper()
	if o, err := s.Open(t.Context(), name); !fault.Is(err, fault.NotFound) {
		t.Errorf("open: %v, %v", o, err)
	}
	if _, there := names(t, s)[name]; there {
		t.Error("it is listed")
	}
}

func TestPutAndOpen(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		for _, size := range []int{0, 1, 1 << 10, 256<<10 + 1, 8 << 20, 16 << 20, 33<<20 + 7} {
			want := content(uint64(size), size)
			name := put(t, r, want)
			if got := get(t, r, name); sha256.Sum256(got) != sha256.Sum256(want) {
				t.Errorf("%d bytes: others came back, %d of them", size, len(got))
			}
			if got, there := names(t, r)[name]; !there || got != int64(size) {
				t.Errorf("%d bytes are listed as %d, %v", size, got, there)
			}
		}
		if n := r.leftovers(); n != 0 {
			t.Errorf("%d leftovers", n)
		}
	})
}

// TestRange reads pieces, also at the edges, and none beyond them.
func TestRange(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		want := content(3, 100_000)
		name := put(t, r, want)
		for _, at := range [][2]int64{{0, 1}, {0, 100_000}, {99_999, 1}, {4_711, 512}} {
			got, err := r.Range(t.Context(), name, at[0], at[1])
			if err != nil || !bytes.Equal(got, want[at[0]:at[0]+at[1]]) {
				t.Errorf("%v: %d bytes, %v", at, len(got), err)
			}
		}
		for _, at := range [][2]int64{{0, 100_001}, {99_999, 2}, {100_000, 1}, {-1, 5}, {5, 0}, {5, -5}} {
			if got, err := r.Range(t.Context(), name, at[0], at[1]); !fault.Is(err, fault.NotFound) {
				t.Errorf("%v: %d bytes, %v", at, len(got), err)
			}
		}
		for _, other := range []string{blob.NewName(), "../" + name, ""} {
			if _, err := r.Range(t.Context(), other, 0, 1); !fault.Is(err, fault.NotFound) {
				t.Errorf("%q: %v", other, err)
			}
		}
	})
}

// TestSmallReads holds that it does not matter in which pieces the bytes come.
func TestSmallReads(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		want := content(1, 10_000)
		for _, reader := range []io.Reader{
			iotest.OneByteReader(bytes.NewReader(want)),
			iotest.DataErrReader(bytes.NewReader(want)), iotest.HalfReader(bytes.NewReader(want)),
		} {
			name := blob.NewName()
			if n, err := r.Put(t.Context(), name, reader); err != nil || n != int64(len(want)) {
				t.Fatal(n, err)
			}
			if !bytes.Equal(get(t, r, name), want) {
				t.Error("other bytes came back")
			}
		}
	})
}

func TestANameIsUsedOnce(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		name := put(t, r, []byte("first"))
		if _, err := r.Put(t.Context(), name, strings.NewReader("second")); !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
		if got := get(t, r, name); string(got) != "first" {
			t.Errorf("the object is now %q", got)
		}
		if n := r.leftovers(); n != 0 {
			t.Errorf("%d leftovers", n)
		}
	})
}

// TestOneNameRaced has many write one name at once: one wins, and what it wrote stays.
func TestOneNameRaced(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		name := blob.NewName()
		var won atomic.Int32
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				_, err := r.Put(t.Context(), name, bytes.NewReader(content(uint64(i), 100_000)))
				switch {
				case err == nil && !won.CompareAndSwap(0, int32(i+1)):
					t.Error("two have won")
				case err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Unavailable):
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if i := won.Load(); i == 0 || !bytes.Equal(get(t, r, name), content(uint64(i-1), 100_000)) {
			t.Errorf("the object is not that of the winner, %d", i)
		}
	})
}

func TestConcurrentPuts(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		var wait sync.WaitGroup
		var all sync.Map
		for i := range 16 {
			wait.Go(func() {
				for j := range 4 {
					b := content(uint64(i*4+j), 1000*i*j)
					name := blob.NewName()
					if _, err := r.Put(t.Context(), name, bytes.NewReader(b)); err != nil {
						t.Error(err)
					}
					all.Store(name, b)
				}
			})
		}
		wait.Wait()
		found := names(t, r)
		if len(found) != 64 {
			t.Errorf("%d objects are listed", len(found))
		}
		all.Range(func(name, b any) bool {
			if !bytes.Equal(get(t, r, name.(string)), b.([]byte)) {
				t.Errorf("%s holds other bytes", name)
			}
			return true
		})
	})
}

var errAway = errors.New("the client went away")

// TestAnAbortedReader holds that a write that is not finished is never seen, before or after, and that its error comes
// back.
func TestAnAbortedReader(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		for _, size := range []int{0, 1, 100_000, 17 << 20, 34 << 20} {
			name := blob.NewName()
			before := readerFunc(func([]byte) (int, error) {
				absent(t, r, name)
				return 0, errAway
			})
			if _, err := r.Put(t.Context(), name,
				io.MultiReader(bytes.NewReader(content(0, size)), before)); !errors.Is(err, errAway) {
				t.Errorf("after %d bytes: %v", size, err)
			}
			absent(t, r, name)
		}
		if n := r.leftovers(); n != 0 {
			t.Errorf("%d leftovers", n)
		}
	})
}

// TestTheCallerLeaves holds the same for a context that ends.
func TestTheCallerLeaves(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		for _, size := range []int{0, 100_000, 17 << 20} {
			name := blob.NewName()
			ctx, leave := context.WithCancel(t.Context())
			last := readerFunc(func([]byte) (int, error) {
				leave()
				return 0, nil
			})
			if _, err := r.Put(ctx, name,
				io.MultiReader(bytes.NewReader(content(0, size)), last, neverEnding{})); err == nil {
				t.Errorf("after %d bytes nobody minds", size)
			}
			absent(t, r, name)
		}
		if n := r.leftovers(); n != 0 {
			t.Errorf("%d leftovers", n)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// neverEnding reads zeros for ever.
type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestRanges(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		want := content(5, 17<<20)
		o, err := r.Open(t.Context(), put(t, r, want))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		for _, at := range []struct {
			offset int64
			whence int
			want   int
		}{
			{100, io.SeekStart, 100}, {0, io.SeekStart, 0}, {-10, io.SeekEnd, len(want) - 10}, {
				16 << 20, io.SeekStart, 16 << 20,
			}, {-500_000, io.SeekCurrent, 16<<20 - 500_000 + 100}, {0, io.SeekEnd, len(want)}, {
				1000, io.SeekEnd, len(want) + 1000,
			},
		} {
			pos, err := o.Seek(at.offset, at.whence)
			if err != nil || pos != int64(at.want) {
				t.Fatalf("seek %d from %d: %d, %v; want %d", at.offset, at.whence, pos, err, at.want)
			}
			got := make([]byte, 100)
			n, err := io.ReadFull(o, got)
			part := want[min(at.want, len(want)):min(at.want+100, len(want))]
			if !bytes.Equal(got[:n], part) || (len(part) == 100) != (err == nil) {
				t.Errorf("at %d: %d bytes, %v", at.want, n, err)
			}
		}
		if _, err := o.Seek(-1, io.SeekStart); err == nil {
			t.Error("a place before the beginning is accepted")
		}
		if pos, err := o.Seek(5, io.SeekStart); pos != 5 || err != nil {
			t.Errorf("after a refused seek: %d, %v", pos, err)
		}
		if n, err := o.Read(nil); n != 0 || err != nil {
			t.Errorf("reading nothing: %d, %v", n, err)
		}
	})
}

func TestDelete(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		keep, name := put(t, r, []byte("stays")), put(t, r, []byte("goes"))
		for range 3 {
			if err := r.Delete(t.Context(), name); err != nil {
				t.Error(err)
			}
			absent(t, r, name)
		}
		if err := r.Delete(t.Context(), blob.NewName()); err != nil {
			t.Error(err)
		}
		if string(get(t, r, keep)) != "stays" {
			t.Error("another object is gone")
		}
	})
}

// hostile are names that could reach something else, or another object.
func hostile() []string {
	name := blob.NewName()
	return []string{
		"", ".", "..", "/", "../" + name, name + "/..", name + "/" + name, name[:31], name + "a", strings.ToUpper(name),
		name[:31] + "1", name[:31] + "/", name[:31] + "\x00", name[:31] + "%",
		"tmp", "tmp/" + name, "..%2f..%2fetc%2fpasswd", `..\..\` + name[:26], name[:30] + "é", "/etc/passwd",
		strings.Repeat("a", 5000), strings.Repeat("../", 10) + "aa", name[:31] + "\n", name[:31] + "?",
	}
}

func TestHostileNames(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		for _, name := range hostile() {
			if _, err := r.Put(t.Context(), name, strings.NewReader("x")); err == nil ||
				fault.Is(err, fault.Unavailable) {
				t.Errorf("put %q: %v", name, err)
			}
			if _, err := r.Open(t.Context(), name); !fault.Is(err, fault.NotFound) {
				t.Errorf("open %q: %v", name, err)
			}
			if err := r.Delete(t.Context(), name); err == nil {
				t.Errorf("delete %q is done", name)
			}
			if l, err := r.Link(t.Context(), name, blob.Link{Until: time.Now().Add(time.Hour)}); l != "" {
				t.Errorf("link to %q: %q, %v", name, l, err)
			}
		}
		if found := names(t, r); len(found) != 0 {
			t.Errorf("listed: %v", found)
		}
	})
}

func TestListingMany(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		const many = 1100 // more than a page of S3
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for range many / 8 {
					if _, err := r.Put(t.Context(), blob.NewName(), strings.NewReader("x")); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wait.Wait()
		if found := names(t, r); len(found) != many/8*8 {
			t.Errorf("%d are listed", len(found))
		}
		told, enough := 0, errors.New("enough")
		if err := r.Each(t.Context(), func(blob.Info) error { told++; return enough }); !errors.Is(err, enough) ||
			told != 1 {
			t.Errorf("told %d, %v", told, err)
		}
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if err := r.Each(ctx, func(blob.Info) error { return nil }); err == nil {
			t.Error("a caller who left is told of everything")
		}
	})
}

func TestSweep(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		keep := put(t, r, content(9, 17<<20))
		for range 3 {
			r.interrupt(t)
		}
		if n := r.leftovers(); n != 3 {
			t.Fatalf("%d leftovers, want 3", n)
		}
		if found := names(t, r); len(found) != 1 {
			t.Errorf("listed: %v", found)
		}
		if err := r.Sweep(t.Context(), time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		if n := r.leftovers(); n != 3 {
			t.Errorf("%d leftovers: young ones were swept", n)
		}
		for range 2 {
			if err := r.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		if n := r.leftovers(); n != 0 {
			t.Errorf("%d leftovers", n)
		}
		if !bytes.Equal(get(t, r, keep), content(9, 17<<20)) {
			t.Error("an object was swept")
		}
	})
}

func TestCheck(t *testing.T) {
	backends(t, func(t *testing.T, r *rig) {
		if err := r.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if found := names(t, r); len(found) != 0 {
			t.Errorf("it left %v", found)
		}
	})
}

func TestNewName(t *testing.T) {
	seen := map[string]bool{}
	for range 10_000 {
		name := blob.NewName()
		if len(name) != 32 || seen[name] {
			t.Fatal(name)
		}
		seen[name] = true
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, url := range []string{
		"", "file:", "file://", "http://x", "canary", "s3:///x", "s3://", "\x00",
		"file:\x00",
	} {
		if s, err := blob.Open(t.Context(), url, nil); err == nil || s != nil ||
			strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v, %v", url, s, err)
		}
		if err := blob.CheckURL(url); err == nil {
			t.Errorf("%q is accepted", url)
		}
	}
	for _, url := range []string{"file:x", "file:/a b/100%", "file:///a", "file:a#?b"} {
		if err := blob.CheckURL(url); err != nil {
			t.Errorf("%q: %v", url, fmt.Sprint(err))
		}
	}
}

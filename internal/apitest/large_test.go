package apitest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

const (
	largeFile = 64 << 20
	// mostForIt is what the service and the client may allocate for it together: a quarter of what holding it once
	// would take.
	mostForIt = largeFile / 4
)

// pattern is an endless file that does not repeat in the size of any buffer.
type pattern struct{ at uint64 }

func (p *pattern) Read(b []byte) (int, error) {
	for i := range b {
		p.at = p.at*6364136223846793005 + 1442695040888963407
		b[i] = byte(p.at >> 56)
	}
	return len(b), nil
}

// allocated gives how many bytes do allocated, freed ones too.
func allocated(t *testing.T, do func()) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLargeFilesTakeLittleMemory: a file streams in and out. It runs alone: what others allocate would count.
func TestLargeFilesTakeLittleMemory(t *testing.T) {
	s := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	ada := s.Account("ada")
	start := ada.Want(201, "POST", "/projects/"+ada.Project("Tower")+"/attachments/uploads", map[string]any{
		"content_type": "application/pdf", "name": "Large.pdf",
	})
	head, tail, _ := strings.Cut(apitest.Form(start, "\x00here\x00"), "\x00here\x00")
	sum := sha256.New()
	var link string
	in := allocated(t, func() {
		body := io.MultiReader(strings.NewReader(head), io.TeeReader(io.LimitReader(&pattern{}, largeFile), sum),
			strings.NewReader(tail))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			start.Text("storage_post_form_arguments.action"), body)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = int64(len(head) + largeFile + len(tail))
		req.Header.Set("Content-Type", "multipart/form-data; boundary="+apitest.Frontier)
		res, err := http.DefaultClient.Do(req) // it follows the redirection
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		record := apitest.Response{Status: res.StatusCode, Body: text}
		if err != nil || res.StatusCode != 200 || record.Text("sha256") != hex.EncodeToString(sum.Sum(nil)) {
			t.Fatalf("%v %s %s", err, res.Status, text)
		}
		link = record.Text("url")
	})
	got := sha256.New()
	out := allocated(t, func() {
		res, err := http.Get(link)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if n, err := io.Copy(got, res.Body); err != nil || n != largeFile {
			t.Fatalf("%d bytes: %v", n, err)
		}
	})
	if string(got.Sum(nil)) != string(sum.Sum(nil)) {
		t.Error("what came out is not what went in")
	}
	t.Logf("%d MB in took %d KB, out %d KB", largeFile>>20, in>>10, out>>10)
	if in > mostForIt || out > mostForIt {
		t.Errorf("a file of %d MB takes %d KB on its way in and %d KB on its way out", largeFile>>20, in>>10, out>>10)
	}
}

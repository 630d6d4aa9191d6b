package apitest_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"groundwork/internal/apitest"
	"groundwork/internal/s3test"
)

// recording is what a program sends to upload a file: the form, and the request with which it follows the redirection.
type recording struct{ name, form, then string }

// recordings reads testdata/clients. Lines end as they do on the wire, with CRLF; values of the form and the file are
// filled in.
func recordings(t *testing.T) []recording {
	t.Helper()
	files, err := filepath.Glob("../../testdata/clients/*.http")
	if err != nil || len(files) < 4 {
		t.Fatalf("there are %d recordings: %v", len(files), err)
	}
	var all []recording
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "\n") // the first line says whose it is
		form, then, found := strings.Cut(rest, "-- then --\n")
		if !found {
			t.Fatalf("%s does not say what comes then", file)
		}
		wire := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
		all = append(all, recording{strings.TrimSuffix(filepath.Base(file), ".http"), wire(form), wire(then)})
	}
	return all
}

// awkward is a file that has everything in it that could be taken for the end of one.
const awkward = "%PDF-1.4\r\n--\r\n\x00\xff\r\n------WebKitFormBoundary7MA4YWxkTrZu0g\r\n--c4d2f6a9f0c14c0d8f1be2ad0b7a51f\r\n\r\n"

// TestClientsUpload plays the recorded programs: each gets the document that it uploaded, and its bytes back.
func TestClientsUpload(t *testing.T) {
	t.Parallel()
	for store, url := range map[string]func(t *testing.T) string{
		"folder": func(t *testing.T) string { return "file:" + t.TempDir() },
		"bucket": func(t *testing.T) string {
			return s3test.Shared(t).URL(strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")))
		},
	} {
		t.Run(store, func(t *testing.T) {
			apitest.Engines(t, func(t *testing.T, engine string) {
				s := apitest.Start(t, engine, apitest.Reachable(), apitest.Files(url(t)))
				ada := s.Account("ada")
				project := ada.Project("Tower")
				for _, r := range recordings(t) {
					t.Run(r.name, func(t *testing.T) { r.play(t, s, ada, project) })
				}
			})
		})
	}
}

// TestClientsUploadSets: each of the recorded programs sends a file of one set, at once, and the set is completed as
// the official client does it.
func TestClientsUploadSets(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine, apitest.Reachable())
		ada := s.Account("ada")
		project := ada.Project("Tower")
		all := recordings(t)
		set := ada.Want(201, "POST", "/projects/"+project+"/sheets/uploads", map[string]any{
			"num_files": len(all), "version_name": "Issue 1",
		})
		var sending sync.WaitGroup
		for i, r := range all {
			request := fmt.Sprintf("file_upload_requests.%d.", i)
			sending.Go(func() {
				start := ada.Do("POST", set.Text(request+"url"), map[string]any{"file_name": r.name + ".pdf"})
				var got struct{ UID, Status, UploadStatus string }
				if status, text := r.send(t, s, start); json.Unmarshal(text, &got) != nil || status != 200 ||
					got.UID != set.Text(request+"uid") || got.Status != "consumed" {
					t.Errorf("%s: %d %s", r.name, status, text)
				}
			})
		}
		sending.Wait()
		header := http.Header{
			"Content-Type": {"application/json; charset=utf-8"}, "Accept": {"application/vnd.plangrid+json; version=1"},
		}
		done, err := ada.TryWith("POST", set.Text("complete_url"), "", header)
		if err != nil || done.Status != 200 || done.Text("status") != "complete" ||
			done.Text("uid") != set.Text("uid") {
			t.Fatalf("the set: %d %s %v", done.Status, done.Body, err)
		}
		for i, r := range all {
			if name := done.Text(fmt.Sprintf("processing.files.%d.file_name", i)); name != r.name+".pdf" {
				t.Errorf("file %d is %s", i+1, name)
			}
		}
	})
}

func (r recording) play(t *testing.T, s *apitest.Server, by *apitest.Person, project string) {
	t.Helper()
	start := by.Want(201, "POST", "/projects/"+project+"/attachments/uploads", map[string]any{
		"content_type": "application/pdf", "name": r.name + ".pdf",
	})
	status, text := r.send(t, s, start)
	var document struct{ UID, Name, URL string }
	if err := json.Unmarshal(text, &document); err != nil || status != 200 || document.UID != start.Text("uid") ||
		document.Name != r.name+".pdf" {
		t.Fatalf("the document: %d %v %s", status, err, text)
	}
	if got := s.Fetch(document.URL, nil); got.Status != 200 || !got.Is([]byte(awkward)) ||
		got.Header.Get("Content-Type") != "application/pdf" {
		t.Errorf("the file: %d %q", got.Status, got.Body)
	}
}

// send sends a file by a form as the program does, and gives what it is led to.
func (r recording) send(t *testing.T, s *apitest.Server, start apitest.Response) (int, []byte) {
	t.Helper()
	host := strings.TrimPrefix(s.URL, "http://")
	fill := []string{
		"{host}", host, "{path}", strings.TrimPrefix(start.Text("aws_post_form_arguments.action"), s.URL),
		"{file}", awkward,
	}
	fields, err := start.Value("aws_post_form_arguments.fields")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields.([]any) {
		one := f.(map[string]any)
		fill = append(fill, "{"+one["name"].(string)+"}", one["value"].(string))
	}
	head, body, _ := strings.Cut(r.form, "\r\n\r\n")
	body = strings.NewReplacer(fill...).Replace(body)
	head = strings.NewReplacer(append(fill, "{length}", strconv.Itoa(len(body)))...).Replace(head) + "\r\n\r\n"

	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	from := bufio.NewReader(conn)
	send := func(text string) {
		t.Helper()
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	send(head)
	if strings.Contains(head, "100-continue") {
		if got, err := http.ReadResponse(from, nil); err != nil || got.StatusCode != http.StatusContinue {
			t.Fatalf("no leave to continue: %v %v", got, err)
		}
	}
	send(body)
	answer, text := receive(t, from)
	location := answer.Header.Get("Location")
	if answer.StatusCode != http.StatusSeeOther || !strings.HasPrefix(location, start.Text("webhook_url")+"?bucket=") ||
		(answer.Header.Get("Access-Control-Allow-Origin") == "*") != (r.name == "browser") {
		t.Fatalf("the form: %s %s %q", answer.Status, location, text)
	}
	send(strings.NewReplacer("{host}", host, "{location}", strings.TrimPrefix(location, s.URL)).Replace(r.then))
	answer, text = receive(t, from)
	return answer.StatusCode, text
}

// receive reads one answer as programs do that can decompress.
func receive(t *testing.T, from *bufio.Reader) (*http.Response, []byte) {
	t.Helper()
	answer, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var plain io.Reader = bytes.NewReader(text)
	switch answer.Header.Get("Content-Encoding") {
	case "gzip":
		plain, err = gzip.NewReader(plain)
	case "deflate":
		plain, err = zlib.NewReader(plain)
	case "zstd":
		plain, err = zstd.NewReader(plain)
	}
	if err != nil {
		t.Fatal(err)
	}
	if text, err = io.ReadAll(plain); err != nil {
		t.Fatal(err)
	}
	return answer, text
}

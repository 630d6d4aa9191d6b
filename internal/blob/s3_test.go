package blob_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"groundwork/internal/blob"
	"groundwork/internal/s3test"
)

func bucketRig(t *testing.T) *rig {
	server := s3test.Shared(t)
	prefix := "suite/" + blob.NewName()
	raw := rawClient(t, server)
	return &rig{
		Store: openStore(t, server.URL(prefix, "redirect=true")),
		leftovers: func() int {
			page, err := raw.ListMultipartUploads(t.Context(), server.Bucket, prefix+"/", "", "", "", 1000)
			if err != nil {
				t.Fatal(err)
			}
			return len(page.Uploads)
		},
		interrupt: func(t *testing.T) {
			// What a process that dies leaves is exactly what is there while it writes.
			key := prefix + "/" + blob.NewName()
			id, err := raw.NewMultipartUpload(t.Context(), server.Bucket, key, minio.PutObjectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := raw.PutObjectPart(t.Context(), server.Bucket, key, id, 1, bytes.NewReader(content(0, 16<<20)),
				16<<20, minio.PutObjectPartOptions{}); err != nil {
				t.Fatal(err)
			}
		},
	}
}

// rawClient looks at the store past the package.
func rawClient(t *testing.T, s *s3test.Server) *minio.Core {
	t.Helper()
	c, err := minio.NewCore(strings.TrimPrefix(s.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(s.Key, s.Secret, ""), Region: "us-east-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func fetch(t *testing.T, address string) (int, http.Header, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, body
}

// TestLinks holds that a link works for whoever has it, says what it was told to say, and for nothing else.
func TestLinks(t *testing.T) {
	r := bucketRig(t)
	name, other := put(t, r, []byte("a plan")), put(t, r, []byte("another"))
	for _, test := range []struct {
		link              blob.Link
		disposition, kind string
	}{
		{
			blob.Link{Disposition: `inline; filename="Plan 3.pdf"`, Type: "application/pdf"},
			`inline; filename="Plan 3.pdf"`, "application/pdf",
		},
		{
			blob.Link{Disposition: "attachment; filename*=UTF-8''Grundri%C3%9F%20%E6%9D%B1.pdf"},
			"attachment; filename*=UTF-8''Grundri%C3%9F%20%E6%9D%B1.pdf", "application/octet-stream",
		},
		{blob.Link{}, "attachment", "application/octet-stream"},
	} {
		test.link.Until = time.Now().Add(time.Hour)
		address, err := r.Link(t.Context(), name, test.link)
		if err != nil {
			t.Fatal(err)
		}
		status, header, body := fetch(t, address)
		if status != 200 || string(body) != "a plan" || !strings.Contains(address, "X-Amz-Expires=300&") ||
			header.Get("Content-Disposition") != test.disposition || header.Get("Content-Type") != test.kind ||
			header.Get("X-Evil") != "" {
			t.Errorf("%q: %d %q, %q", test.link.Disposition, status, body, header)
		}
		for what, edited := range map[string]string{
			"another object": strings.Replace(address, name, other, 1), "another name": strings.Replace(address,
				"response-content-disposition=", "response-content-disposition=x", 1),
			"a longer life": strings.Replace(address, "X-Amz-Expires=3", "X-Amz-Expires=9", 1),
			"no signature":  address[:strings.Index(address, "X-Amz-Signature")],
		} {
			if status, _, body := fetch(t, edited); edited == address || status < 400 {
				t.Errorf("%s: %d %q", what, status, body)
			}
		}
	}
}

// TestALinkExpires lets a link die of the past instead of waiting.
func TestALinkExpires(t *testing.T) {
	r := bucketRig(t)
	name := put(t, r, []byte("a plan"))
	address, err := r.Link(t.Context(), name, blob.Link{Until: time.Now().Add(-time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := time.Parse("20060102T150405Z", u.Query().Get("X-Amz-Date"))
	if err != nil || u.Query().Get("X-Amz-Expires") != "1" {
		t.Fatalf("%v, %v", u.Query(), err)
	}
	for {
		status, _, body := fetch(t, address)
		if status == 403 {
			return
		}
		if time.Since(signed) > 10*time.Second {
			t.Fatalf("after %v: %d %s", time.Since(signed), status, body)
		}
	}
}

func TestNoLinksUnlessAskedFor(t *testing.T) {
	server := s3test.Shared(t)
	for _, option := range []string{"redirect=false", "region=us-east-1"} {
		s := openStore(t, server.URL("x", option))
		if l, err := s.Link(t.Context(), blob.NewName(), blob.Link{Until: time.Now().Add(time.Hour)}); l != "" ||
			err != nil {
			t.Errorf("%s: %q, %v", option, l, err)
		}
	}
}

// TestBucketHidesWhatIsNotItsOwn holds that other people's objects, and those of another prefix, are neither listed nor
// swept.
func TestBucketHidesWhatIsNotItsOwn(t *testing.T) {
	server := s3test.Shared(t)
	raw := rawClient(t, server)
	prefix := blob.NewName()
	s := openStore(t, server.URL(prefix))
	for _, key := range []string{
		prefix + "/notes.txt", prefix + "/sub/" + blob.NewName(),
		prefix + "s/" + blob.NewName(), "elsewhere/" + blob.NewName(),
	} {
		if _, err := raw.PutObject(t.Context(), server.Bucket, key, strings.NewReader("x"), 1, "", "",
			minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := raw.NewMultipartUpload(t.Context(), server.Bucket, key+"x", minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	mine := put(t, s, nil)
	if found := names(t, s); len(found) != 1 || found[mine] != 0 {
		t.Errorf("listed: %v", found)
	}
	if err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	}
	page, err := raw.ListMultipartUploads(t.Context(), server.Bucket, prefix, "", "", "", 1000)
	if err != nil || len(page.Uploads) != 3 {
		t.Errorf("%d are left, %v", len(page.Uploads), err)
	}
}

// TestABeginningIsNotSwept holds that an upload that has no part yet is as young as it is.
func TestABeginningIsNotSwept(t *testing.T) {
	server := s3test.Shared(t)
	raw, prefix := rawClient(t, server), blob.NewName()
	s := openStore(t, server.URL(prefix))
	if _, err := raw.NewMultipartUpload(t.Context(), server.Bucket, prefix+"/"+blob.NewName(),
		minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, sweep := range []struct {
		ago  time.Duration
		left int
	}{{-time.Hour, 1}, {time.Hour, 0}} {
		if err := s.Sweep(t.Context(), time.Now().Add(sweep.ago)); err != nil {
			t.Fatal(err)
		}
		page, err := raw.ListMultipartUploads(t.Context(), server.Bucket, prefix+"/", "", "", "", 1000)
		if err != nil || len(page.Uploads) != sweep.left {
			t.Errorf("%v: %d are left, %v", sweep.ago, len(page.Uploads), err)
		}
	}
}

// TestAYoungPartIsNotSwept holds that an upload that began long ago stays while parts come.
func TestAYoungPartIsNotSwept(t *testing.T) {
	server := s3test.Shared(t)
	raw, prefix := rawClient(t, server), blob.NewName()
	s, key := openStore(t, server.URL(prefix)), prefix+"/"+blob.NewName()
	id, err := raw.NewMultipartUpload(t.Context(), server.Bucket, key, minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := raw.ListMultipartUploads(t.Context(), server.Bucket, prefix+"/", "", "", "", 1)
	if err != nil || len(page.Uploads) != 1 {
		t.Fatal(page, err)
	}
	before := page.Uploads[0].Initiated.Add(time.Millisecond)
	for young := false; !young; { // the store may count in whole seconds
		if _, err := raw.PutObjectPart(t.Context(), server.Bucket, key, id, 1, strings.NewReader("x"), 1,
			minio.PutObjectPartOptions{}); err != nil {
			t.Fatal(err)
		}
		parts, err := raw.ListObjectParts(t.Context(), server.Bucket, key, id, 0, 10)
		if err != nil || len(parts.ObjectParts) != 1 {
			t.Fatal(parts, err)
		}
		young = parts.ObjectParts[0].LastModified.After(before)
	}
	if err := s.Sweep(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if _, err := raw.ListObjectParts(t.Context(), server.Bucket, key, id, 0, 10); err != nil {
		t.Errorf("it was swept: %v", err)
	}
}

// TestBucketIsExplained holds that whoever runs the service is told what to do, and no secret.
func TestBucketIsExplained(t *testing.T) {
	server := s3test.Shared(t)
	for _, test := range []struct{ what, url, says string }{
		{"no bucket", strings.Replace(server.URL("p"), server.Bucket, "no-such-bucket", 1), "there is no such bucket"},
		{"another key", strings.Replace(server.URL("p"), server.Key, "somebody", 1), "access key"},
		{"another secret", strings.Replace(server.URL("p"), server.Secret, "canary", 1), "credentials"},
		{"nobody there", "s3://k:canary@bucket?endpoint=" + url.QueryEscape("http://127.0.0.1:1"), "does not answer"},
		{"another region", server.URL("p", "region=eu-central-1"), "another region"},
	} {
		err := openStore(t, test.url).Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "canary") ||
			strings.Contains(err.Error(), server.Secret) {
			t.Errorf("%s: %v", test.what, err)
		}
	}
}

func TestBucketURL(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "canary")
	for _, good := range []string{
		"s3://bucket", "s3://bucket/", "s3://bucket/a/b-c?region=eu-central-1",
		"s3://k:canary%2F@bucket/p?endpoint=https://s3.example.com/&redirect=true",
		"s3://b.c-d?endpoint=http%3A%2F%2F127.0.0.1%3A9000&redirect=false",
	} {
		if _, err := blob.Open(t.Context(), good, nil); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"s3://", "s3:canary", "s3://Canary/x", "s3://b/canary", "s3://buck_et", "s3://k:canary@", "s3://canary@bucket",
		"s3://:canary@bucket", "s3://bucket/../canary", "s3://bucket/a//canary", "s3://bucket/a%20canary",
		"s3://bucket?canary=1",
		"s3://bucket?endpoint=canary", "s3://bucket?endpoint=ftp://canary", "s3://bucket?endpoint=https://x/canary",
		"s3://bucket?endpoint=https://u:canary@x", "s3://bucket?redirect=canary",
		"s3://bucket?endpoint=https://a&endpoint=https://canary", "s3://bucket#canary", "s3://bucket?%zz",
		"s3://k:can%zzary@bucket",
	} {
		if s, err := blob.Open(t.Context(), bad, nil); err == nil || s != nil ||
			strings.Contains(err.Error(), "canary") || !strings.HasSuffix(err.Error(), ".") {
			t.Errorf("%s: %v", bad, err)
		}
		if blob.CheckURL(bad) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if _, err := blob.Open(t.Context(), "s3://bucket", nil); err == nil ||
		!strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("without credentials: %v", err)
	}
}

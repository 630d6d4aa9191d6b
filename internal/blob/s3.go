package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"groundwork/internal/fault"
)

// bucket keeps objects in a bucket of an S3-compatible store, under PREFIX/NAME.
type bucket struct {
	client   minio.Core
	endpoint string
	name     string
	prefix   string // empty, or ends with a slash
	redirect bool
	line     *line
	log      *slog.Logger
}

// place is what an s3:// URL says. It has no text form that shows the secret.
type place struct {
	endpoint               *url.URL
	bucket, prefix, region string
	redirect               bool
	key, secret            string
}

const (
	amazon        = "https://s3.amazonaws.com"
	defaultRegion = "us-east-1"
	retries       = 3
)

// parsePlace understands s3://KEY:SECRET@BUCKET/PREFIX?endpoint=URL&region=REGION&redirect=true. No error repeats the
// text.
func parsePlace(text string) (*place, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.Opaque != "" || u.Fragment != "" {
		return nil, errURL
	}
	p := &place{bucket: u.Host, prefix: strings.Trim(u.Path, "/"), region: defaultRegion}
	if !bucketName(p.bucket) {
		return nil, errors.New(
			"The blob URL names no bucket: a bucket has 3 to 63 lower-case letters, digits, dots and hyphens.")
	}
	for part := range strings.SplitSeq(p.prefix, "/") {
		if p.prefix != "" && (part == "" || part == "." || part == ".." ||
			strings.ContainsFunc(part, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' })) {
			return nil, errors.New(
				"The prefix in the blob URL must be plain: letters, digits, hyphens, with single slashes between them.")
		}
	}
	if p.prefix != "" {
		p.prefix += "/"
	}
	if u.User != nil {
		p.key = u.User.Username()
		p.secret, _ = u.User.Password()
		if p.key == "" || p.secret == "" {
			return nil, errors.New(
				"The blob URL has half of the credentials: write s3://KEY:SECRET@BUCKET, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
		}
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errURL
	}
	return p, p.options(query)
}

func (p *place) options(query url.Values) (err error) {
	endpoint := amazon
	for name, values := range query {
		value := values[0]
		if len(values) > 1 {
			return errors.New("The blob URL says something twice.")
		}
		switch name {
		case "endpoint":
			endpoint = value
		case "region":
			p.region = cmp.Or(value, defaultRegion)
		case "redirect":
			if p.redirect = value == "true"; !p.redirect && value != "false" {
				return errors.New("redirect in the blob URL must be true or false.")
			}
		default:
			return errors.New("The blob URL may have endpoint, region and redirect behind its question mark, and nothing else.")
		}
	}
	p.endpoint, err = url.Parse(endpoint)
	if err != nil || p.endpoint.Scheme != "https" && p.endpoint.Scheme != "http" || p.endpoint.Host == "" ||
		p.endpoint.User != nil || strings.Trim(p.endpoint.Path, "/") != "" || p.endpoint.RawQuery != "" ||
		p.endpoint.Fragment != "" {
		return errors.New("endpoint in the blob URL must be the address of the store, such as https://s3.example.com or http://127.0.0.1:9000.")
	}
	return nil
}

func bucketName(name string) bool {
	return len(name) >= 3 && len(name) <= 63 && !strings.Contains(name, "..") &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' && r != '-'
		})
}

func openBucket(p *place, log *slog.Logger) (Store, error) {
	secrets := credentials.NewStaticV4(p.key, p.secret, "")
	if p.key == "" {
		if os.Getenv("AWS_ACCESS_KEY_ID") == "" || os.Getenv("AWS_SECRET_ACCESS_KEY") == "" {
			return nil, errors.New(
				"The bucket needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write s3://KEY:SECRET@BUCKET.")
		}
		// Read now: the service takes secrets out of its environment once it has started.
		secrets = credentials.NewStaticV4(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"),
			os.Getenv("AWS_SESSION_TOKEN"))
	}
	line := newLine()
	client, err := minio.NewCore(p.endpoint.Host, &minio.Options{
		Creds: secrets, Secure: p.endpoint.Scheme == "https", Region: p.region, Transport: line, MaxRetries: retries,
	})
	if err != nil {
		return nil, fmt.Errorf("The endpoint in the blob URL cannot be used: %w.", err)
	}
	return &bucket{
		client: *client, endpoint: p.endpoint.Scheme + "://" + p.endpoint.Host, name: p.bucket,
		prefix: p.prefix, redirect: p.redirect, line: line, log: log,
	}, nil
}

func (b *bucket) Delete(ctx context.Context, name string) error {
	if !validName(name) {
		return errName(name)
	}
	return b.line.exchange(ctx, func(ctx context.Context) error {
		err := b.client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{})
		if isMissing(err) {
			return nil
		}
		return err
	})
}

// pageSize is how many objects are asked for at once.
const pageSize = 1000

// Each asks for one page after the other, so that however long fn takes, no exchange with the store stays open.
func (b *bucket) Each(ctx context.Context, fn func(Info) error) error {
	for after := ""; ; {
		page := make([]minio.ObjectInfo, 0, pageSize)
		err := b.line.exchange(ctx, func(ctx context.Context) error {
			page = page[:0]
			for o := range b.client.ListObjectsIter(ctx, b.name,
				minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true, MaxKeys: pageSize, StartAfter: after}) {
				if o.Err != nil {
					return o.Err
				}
				if page = append(page, o); len(page) == pageSize {
					return nil
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		for _, o := range page {
			after = o.Key
			name := strings.TrimPrefix(o.Key, b.prefix)
			if !validName(name) {
				continue // somebody else's
			}
			if err := fn(Info{name, o.Size, o.LastModified}); err != nil {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
	}
}

// longestLink is how long a bucket's own link lives at most. Nobody can take it back, so it is good for as long as a
// client takes to follow it, and not for as long as the service's link that led to it.
const longestLink = 5 * time.Minute

func (b *bucket) Link(ctx context.Context, name string, l Link) (string, error) {
	if !validName(name) {
		return "", missing()
	}
	if !b.redirect {
		return "", nil
	}
	query := url.Values{
		"response-content-disposition": {cmp.Or(l.Disposition, "attachment")},
		"response-content-type":        {cmp.Or(l.Type, "application/octet-stream")},
	}
	lives := min(max(time.Until(l.Until), time.Second), longestLink)
	signed, err := b.client.PresignedGetObject(ctx, b.name, b.prefix+name, lives, query)
	if err != nil {
		return "", unavailable(err)
	}
	return signed.String(), nil
}

// Sweep takes back multipart uploads to which nothing was added since before.
func (b *bucket) Sweep(ctx context.Context, before time.Time) error {
	var key, id string
	for {
		var page minio.ListMultipartUploadsResult
		err := b.line.exchange(ctx, func(ctx context.Context) (err error) {
			page, err = b.client.ListMultipartUploads(ctx, b.name, b.prefix, key, id, "", pageSize)
			return err
		})
		if err != nil {
			return err
		}
		for _, u := range page.Uploads {
			if !validName(strings.TrimPrefix(u.Key, b.prefix)) || !u.Initiated.Before(before) {
				continue
			}
			if err := b.sweep(ctx, u.Key, u.UploadID, before); err != nil {
				return err
			}
		}
		if !page.IsTruncated {
			return nil
		}
		key, id = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

func (b *bucket) sweep(ctx context.Context, key, id string, before time.Time) error {
	return b.line.exchange(ctx, func(ctx context.Context) error {
		// Parts come in order, so whether there is a young one is known from the last; an upload of few parts shows it
		// on its only page.
		for marker := 0; ; {
			parts, err := b.client.ListObjectParts(ctx, b.name, key, id, marker, pageSize)
			if isMissing(err) {
				return nil // finished or taken back meanwhile
			}
			if err != nil {
				return err
			}
			for _, part := range parts.ObjectParts {
				if !part.LastModified.Before(before) {
					return nil
				}
			}
			if !parts.IsTruncated {
				break
			}
			marker = parts.NextPartNumberMarker
		}
		if err := b.client.AbortMultipartUpload(ctx, b.name, key, id); err != nil && !isMissing(err) {
			return err
		}
		return nil
	})
}

func (b *bucket) Check(ctx context.Context) error {
	// Listing goes first: the answers to it say more of what is wrong than those to the first request of a write.
	err := b.line.exchange(ctx, func(ctx context.Context) error {
		for o := range b.client.ListObjectsIter(ctx, b.name,
			minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true, MaxKeys: 1}) {
			return o.Err
		}
		return nil
	})
	if err == nil {
		err = roundTrip(ctx, b)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("files cannot be stored in the bucket %s at %s: %s", b.name, b.endpoint, explain(fault.Cause(err)))
}

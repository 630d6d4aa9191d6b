package blob

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"

	"groundwork/internal/fault"
)

const (
	// partSize is what is held in memory of an upload, twice: one part is read while the one before is sent.
	partSize  = 8 << 20
	mostParts = 10_000
	// mark is the header that tells this write's object from one that somebody else made under the same name.
	mark     = "X-Amz-Meta-Groundwork-Put"
	checksum = "X-Amz-Checksum-Crc32c"
)

// Put sends a small object at once and a larger one in parts. The object appears whole, with the last request; when
// that request's answer is lost or refused, looking at the object decides, and if even that fails the outcome is
// unknown: Unavailable, and whoever lists the store finds the object or does not.
func (b *bucket) Put(ctx context.Context, name string, r io.Reader) (int64, error) {
	if !validName(name) {
		return 0, errName(name)
	}
	// Not every store knows If-None-Match; a name that is taken is refused on all of them.
	if _, err := b.stat(ctx, name); err == nil {
		return 0, exists()
	} else if !fault.Is(err, fault.NotFound) && !plantedTrust {
		return 0, err
	}
	p := &putting{bucket: b, key: b.prefix + name, mark: NewName()}
	first, last, err := readPart(ctx, r, nil)
	if err != nil {
		return 0, err
	}
	if last {
		err = p.whole(ctx, first)
	} else {
		err = p.parts(ctx, first, r)
	}
	return b.settle(ctx, name, p, err)
}

// putting is one write on its way.
type putting struct {
	bucket    *bucket
	key, mark string
	size      int64
	committed bool // the request that makes the object appear was sent
}

// options are what is told of the object, with one more header.
func (p *putting) options(header, value string) minio.PutObjectOptions {
	return minio.PutObjectOptions{
		ContentType: "application/octet-stream", UserMetadata: map[string]string{mark: p.mark, header: value},
	}
}

func (p *putting) whole(ctx context.Context, content []byte) error {
	p.size, p.committed = int64(len(content)), true
	sum := crc(content)
	o := p.options(checksum, sum)
	o.SetMatchETagExcept("*")
	return p.bucket.line.exchange(ctx, func(ctx context.Context) error {
		info, err := p.bucket.client.PutObject(ctx, p.bucket.name, p.key, bytes.NewReader(content), p.size, "", "", o)
		if err != nil {
			return err
		}
		return same(info.ChecksumCRC32C, sum)
	})
}

// parts sends one part while it reads the next. When the write fails, the part on its way is let arrive: a store may
// keep one that was cut off although its upload was taken back meanwhile.
func (p *putting) parts(ctx context.Context, part []byte, r io.Reader) (err error) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(abortWithin, cut) })()
	var id string
	err = p.bucket.line.exchange(ctx, func(ctx context.Context) (err error) {
		id, err = p.bucket.client.NewMultipartUpload(ctx, p.bucket.name, p.key,
			p.options("X-Amz-Checksum-Algorithm", "CRC32C"))
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			p.abort(ctx, id, err)
		}
	}()
	var done []minio.CompletePart
	var spare []byte
	for last := false; ; {
		number := len(done) + 1
		if number > mostParts {
			return fault.New(fault.TooLarge, "A file may have at most %d GB.", int64(mostParts)*partSize>>30)
		}
		sent := make(chan error, 1)
		var made minio.CompletePart
		go func() { sent <- p.send(sending, id, number, part, &made) }()
		p.size += int64(len(part))
		var next []byte
		var readErr error
		if !last {
			next, last, readErr = readPart(ctx, r, spare)
		}
		if readErr != nil {
			leave()
			<-sent
			return readErr
		}
		if err := <-sent; err != nil {
			return err
		}
		done = append(done, made)
		if next == nil {
			break
		}
		part, spare = next, part
	}
	p.committed = true
	return p.bucket.line.exchange(ctx, func(ctx context.Context) error {
		o := minio.PutObjectOptions{}
		o.SetMatchETagExcept("*")
		_, err := p.bucket.client.CompleteMultipartUpload(ctx, p.bucket.name, p.key, id, done, o)
		return err
	})
}

func (p *putting) send(ctx context.Context, id string, number int, content []byte, made *minio.CompletePart) error {
	sum := crc(content)
	return p.bucket.line.exchange(ctx, func(ctx context.Context) error {
		part, err := p.bucket.client.PutObjectPart(ctx, p.bucket.name, p.key, id, number, bytes.NewReader(content),
			int64(len(content)), minio.PutObjectPartOptions{CustomHeader: http.Header{checksum: {sum}}})
		if err != nil {
			return err
		}
		*made = minio.CompletePart{PartNumber: number, ETag: part.ETag, ChecksumCRC32C: part.ChecksumCRC32C}
		return same(part.ChecksumCRC32C, sum)
	})
}

// abortWithin is how long a failed write is held up by the part on its way, and by taking back its parts. What is not
// taken back by then, Sweep takes.
const abortWithin = time.Second

func (p *putting) abort(ctx context.Context, id string, why error) {
	if errors.Is(why, errStalled) {
		return // the line is dead
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortWithin)
	defer cancel()
	if err := p.bucket.client.AbortMultipartUpload(ctx, p.bucket.name, p.key, id); err != nil && !isMissing(err) {
		p.bucket.log.WarnContext(ctx, "the parts of a failed upload stay until the next sweep", "error", err)
	}
}

// settle looks at what stands in the store after a write, whatever its last request said.
func (b *bucket) settle(ctx context.Context, name string, p *putting, err error) (int64, error) {
	if err != nil && (!p.committed || errors.Is(err, errStalled) || ctx.Err() != nil) && !plantedTrust {
		return 0, err
	}
	info, looked := b.stat(ctx, name)
	switch {
	case plantedTrust:
		return p.size, nil
	case looked == nil && info.Metadata.Get(mark) != p.mark:
		return 0, exists()
	case looked == nil && info.Size != p.size:
		return 0, unavailable(fmt.Errorf("the store has %d bytes of %d", info.Size, p.size))
	case looked == nil:
		return p.size, nil
	case err != nil:
		return 0, err
	}
	return 0, unavailable(fmt.Errorf("the object was not found after it was written: %w", looked))
}

func (b *bucket) stat(ctx context.Context, name string) (info minio.ObjectInfo, err error) {
	err = b.line.exchange(ctx, func(ctx context.Context) error {
		info, err = b.client.StatObject(ctx, b.name, b.prefix+name, minio.StatObjectOptions{})
		return err
	})
	return info, err
}

// readPart reads up to a part, into the memory it is given or into new, which grows as bytes come: a client that sends
// little, or slowly, holds little. The part is the last one when r has ended with it.
func readPart(ctx context.Context, r io.Reader, into []byte) (part []byte, last bool, err error) {
	part = into[:0]
	for len(part) < partSize {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if len(part) == cap(part) {
			bigger := make([]byte, len(part), min(max(4*cap(part), bufferSize), partSize))
			copy(bigger, part)
			part = bigger
		}
		n, err := r.Read(part[len(part):min(cap(part), partSize)])
		part = part[:len(part)+n]
		if errors.Is(err, io.EOF) {
			return part, true, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return part, false, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crc is the sum that a store computes again, where it knows how, and refuses what does not fit.
func crc(content []byte) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.Checksum(content, castagnoli)))
}

func same(theirs, ours string) error {
	if theirs != "" && theirs != ours {
		return fmt.Errorf("the store has other bytes than were sent: its checksum is %s, not %s", theirs, ours)
	}
	return nil
}

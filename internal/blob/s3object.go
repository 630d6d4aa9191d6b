package blob

import (
	"context"
	"errors"
	"io"

	"github.com/minio/minio-go/v7"
)

// The windows in which an object is read. They grow, so that a reader of a few bytes fetches little more than these and
// a reader of all of it asks seldom.
const (
	firstWindow = 256 << 10
	lastWindow  = 16 << 20
)

func (b *bucket) Open(ctx context.Context, name string) (Object, error) {
	if !validName(name) {
		return nil, missing()
	}
	info, err := b.stat(ctx, name)
	if err != nil {
		return nil, err
	}
	return &object{ctx: ctx, bucket: b, key: b.prefix + name, size: info.Size, window: firstWindow}, nil
}

func (b *bucket) Range(ctx context.Context, name string, offset, length int64) (part []byte, err error) {
	if !validName(name) || offset < 0 || length < 1 {
		return nil, missing()
	}
	options := minio.GetObjectOptions{}
	if err := options.SetRange(offset, offset+length-1); err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		err = b.line.exchange(ctx, func(ctx context.Context) error {
			body, info, _, err := b.client.GetObject(ctx, b.name, b.prefix+name, options)
			if minio.ToErrorResponse(err).Code == "InvalidRange" {
				return missing()
			}
			if err != nil {
				return err
			}
			defer body.Close()
			if info.Size < length {
				return missing()
			}
			part = make([]byte, length)
			_, err = io.ReadFull(body, part)
			return err
		})
		if attempt == retries || !errors.Is(err, io.ErrUnexpectedEOF) {
			return part, err
		}
	}
}

// object reads one window after the other; one that breaks is asked for again from where it broke.
type object struct {
	ctx    context.Context // of whoever opened it: reading is part of what they asked for
	bucket *bucket
	key    string
	size   int64

	at     int64 // what is read next
	window int64 // how much is asked for next
	open   *window
}

// window is a piece of an object on its way here.
type window struct {
	body    io.ReadCloser
	watch   *watch
	watched context.Context
	left    int64
}

func (o *object) Size() int64 { return o.size }

func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return o.at, errors.New("blob: a place before the beginning of an object")
	}
	if offset != o.at {
		o.shut()
		o.at, o.window = offset, firstWindow
	}
	return offset, nil
}

func (o *object) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if o.at >= o.size {
		return 0, io.EOF
	}
	for attempt := 0; ; attempt++ {
		n, err := o.read(p)
		if n > 0 {
			return n, nil
		}
		if attempt == retries || o.ctx.Err() != nil || errors.Is(err, errStalled) {
			return 0, err
		}
	}
}

// read reads from the open window; without one it opens the next.
func (o *object) read(p []byte) (int, error) {
	if o.open == nil {
		if err := o.fetch(); err != nil {
			return 0, err
		}
	}
	w := o.open
	// Only the store is held to its time: between two reads the reader may take its own.
	w.watch.touch()
	n, err := w.body.Read(p[:min(int64(len(p)), w.left)])
	w.watch.pause()
	o.at += int64(n)
	w.left -= int64(n)
	if err == nil && w.left > 0 {
		return n, nil
	}
	o.shut()
	if w.left == 0 {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, o.bucket.line.judge(o.ctx, w.watched, err)
}

func (o *object) fetch() error {
	length := min(o.window, o.size-o.at)
	o.window = min(2*o.window, lastWindow)
	options := minio.GetObjectOptions{}
	if err := options.SetRange(o.at, o.at+length-1); err != nil {
		return err
	}
	watched, watch := o.bucket.line.watch(o.ctx)
	body, _, _, err := o.bucket.client.GetObject(watched, o.bucket.name, o.key, options)
	watch.pause()
	if err != nil {
		defer watch.close()
		return o.bucket.line.judge(o.ctx, watched, err)
	}
	o.open = &window{body, watch, watched, length}
	return nil
}

// shut gives the connection back, if the window was read to its end, or cuts it.
func (o *object) shut() {
	if o.open == nil {
		return
	}
	w := o.open
	o.open = nil
	if w.left > 0 {
		w.watch.close()
	}
	_ = w.body.Close() // nothing more is wanted of it
	w.watch.close()
}

func (o *object) Close() error {
	o.shut()
	return nil
}

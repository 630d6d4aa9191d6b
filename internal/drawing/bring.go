package drawing

import (
	"errors"
	"io"
	"strconv"
	"sync"
)

// atATime is how many files are brought at a time: where they lie far away, the wait for one is the wait for all of
// them.
const atATime = 4

// several does n things, a few at a time, and begins no more once one has failed. done is told after each, by one
// caller at a time, how many there are.
func several(n int, do func(i int) error, done func(int)) error {
	var (
		mu          sync.Mutex
		next, ended int
		failed      error
		all         sync.WaitGroup
	)
	take := func() (i int, more bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, failed == nil && next <= n
	}
	tell := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			ended++
			done(ended)
		case failed == nil:
			failed = err
		}
	}
	for range min(n, atATime) {
		all.Go(func() {
			for i, more := take(); more; i, more = take() {
				tell(do(i))
			}
		})
	}
	all.Wait()
	return failed
}

// bringNumber copies a file to where a child finds it by its number, and closes it.
func (f *File) bringNumber(n int, in io.ReadCloser) error {
	return errors.Join(f.bring(strconv.Itoa(n), in), in.Close())
}

package auth

import (
	"sync"
	"sync/atomic"

	"groundwork/internal/credential"
)

// memory is the credentials known since the last change of any account or key. A change replaces the whole memory:
// whoever was reading the database meanwhile puts what it read into the old one, where nobody looks.
type memory struct {
	known sync.Map // [32]byte, the SHA-256 of a key, token or session, to *entry
	size  atomic.Int64

	versions atomic.Pointer[[]Version]       // the deprecated ones
	closed   atomic.Pointer[map[int64]int64] // by number, the projects that nobody enters: see Auth.closed
}

// entry is what the database says of one key, token or session: a credential, or why it is refused.
type entry struct {
	table, uid string // where its last use is noted
	credential *credential.Credential
	refusal    error
	expires    int64        // microseconds; 0 for a key
	noted      atomic.Int64 // the last use that was noted, in microseconds
}

// mostKnown bounds the memory; only keys that exist are remembered, so that guesses cost nothing.
const mostKnown = 1 << 16

func (m *memory) recall(hash [32]byte) *entry {
	if e, ok := m.known.Load(hash); ok {
		return e.(*entry)
	}
	return nil
}

func (m *memory) remember(hash [32]byte, e *entry) {
	if m.size.Load() >= mostKnown {
		return
	}
	if _, twice := m.known.LoadOrStore(hash, e); !twice {
		m.size.Add(1)
	}
}

// uses are the last uses of keys, tokens and sessions that are not written yet: writing each at once would make every
// read a write.
type uses struct {
	mu     sync.Mutex
	latest map[use]int64 // microseconds
}

// use is what was used: a row of a table, or of the table version_uses an account's MAJOR version.
type use struct {
	table, uid string
	major      int
}

// Version is a MAJOR version of the API that is on its way out. Times are microseconds.
type Version struct {
	Major                  int
	DeprecatedAt, SunsetAt int64
}

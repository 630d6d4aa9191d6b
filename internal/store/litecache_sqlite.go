package store

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// useLiteCache has SQLite keep its pages in a liteCache for each connection. The cache that it brings along is, as it
// is built for Go, one for all connections: every use of a page takes its lock, connections take pages from each other,
// and once it is full it forgets the page that was used last, be it the root of a table. SQLite takes another one only
// before the first connection is opened.
var useLiteCache = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	// SQLite copies the methods, and calls them as what they are here: Go functions by the address of their value.
	methods, arguments := made[sqlite3.Tsqlite3_pcache_methods2](tls), made[uintptr](tls)
	if methods == nil || arguments == nil {
		return errors.New("no memory for SQLite's page cache")
	}
	defer libc.Xfree(tls, address(methods))
	defer libc.Xfree(tls, address(arguments))
	// The cache that SQLite brings along is begun all the same: SQLite's temporary buffers come from it, and its lock
	// guards the count of them.
	if code := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_GETPCACHE2,
		libc.VaList(address(arguments), address(methods))); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("SQLite does not tell of its page cache: %d", code)
	}
	*methods = sqlite3.Tsqlite3_pcache_methods2{
		FiVersion:  1,
		FxInit:     methods.FxInit,
		FxShutdown: methods.FxShutdown,
		FxCreate: function(func(tls *libc.TLS, size, extra, purgeable int32) uintptr {
			return address(newLiteCache(tls, uintptr(size), uintptr(extra), purgeable != 0))
		}),
		FxCachesize: function(func(tls *libc.TLS, c uintptr, most int32) {
			at[liteCache](c).resize(tls, uint32(max(most, 0)))
		}),
		FxPagecount: function(func(_ *libc.TLS, c uintptr) int32 { return int32(at[liteCache](c).n) }),
		FxFetch: function(func(tls *libc.TLS, c uintptr, number uint32, how int32) uintptr {
			return address(at[liteCache](c).fetch(tls, number, how))
		}),
		FxUnpin: function(func(tls *libc.TLS, c, p uintptr, discard int32) {
			at[liteCache](c).release(tls, at[litePage](p), discard != 0)
		}),
		FxRekey: function(func(tls *libc.TLS, c, p uintptr, _, number uint32) {
			at[liteCache](c).renumber(tls, at[litePage](p), number)
		}),
		FxTruncate: function(func(tls *libc.TLS, c uintptr, from uint32) { at[liteCache](c).truncate(tls, from) }),
		FxDestroy:  function(func(tls *libc.TLS, c uintptr) { at[liteCache](c).destroy(tls) }),
		FxShrink:   function(func(tls *libc.TLS, c uintptr) { at[liteCache](c).shrink(tls) }),
	}
	if code := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PCACHE2,
		libc.VaList(address(arguments), address(methods))); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("SQLite does not take a page cache: %d", code)
	}
	return nil
})

// function is how SQLite names a Go function. It must not capture anything: then its value is part of the program and
// stays where it is.
func function[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

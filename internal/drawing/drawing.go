// Package drawing owns PDF and image work: pages, text with its places, renderings, tiles, thumbnails. The work is done in a child process that is killed when
// it takes too long or too much memory, so that no file can harm the service. It refuses to know records, databases and where files lie: bytes in, bytes out.
package drawing

// Command floor answers with bytes that it holds in memory, and does nothing else: what net/http and the machine cost
// by themselves. Every file of its folder is a path, and what is posted to /file is a file of it, hashed and on the
// disk. A path that ends in .gz is compressed for each request, as a service must that makes its answers.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"
)

func main() {
	listen := flag.String("listen", "", "the address to serve")
	folder := flag.String("folder", "", "the folder of the answers")
	cert := flag.String("tls-cert", "", "the certificate for HTTPS")
	key := flag.String("tls-key", "", "its key")
	flag.Parse()
	mux := http.NewServeMux()
	names, err := filepath.Glob(filepath.Join(*folder, "*"))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		path := "/" + filepath.Base(name)
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { send(w, body) })
		mux.HandleFunc("GET "+path+".gz", func(w http.ResponseWriter, _ *http.Request) { compress(w, body) })
	}
	file := filepath.Join(*folder, "file")
	mux.HandleFunc("POST /file", func(w http.ResponseWriter, r *http.Request) { take(w, r, file) })
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { send(w, []byte("{}")) })
	server := &http.Server{Addr: *listen, Handler: mux}
	if *cert != "" {
		log.Fatal(server.ListenAndServeTLS(*cert, *key))
	}
	log.Fatal(server.ListenAndServe())
}

// take stores a body as a plain program would that also hashes it and waits for the disk.
func take(w http.ResponseWriter, r *http.Request, name string) {
	f, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, hash), r.Body); err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		log.Fatal(err)
	}
	send(w, fmt.Appendf(nil, `{"sha256":"%x"}`, hash.Sum(nil)))
}

func send(w http.ResponseWriter, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client has gone
}

var writers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func compress(w http.ResponseWriter, body []byte) {
	out, z := buffers.Get().(*bytes.Buffer), writers.Get().(*gzip.Writer)
	out.Reset()
	z.Reset(out)
	_, _ = z.Write(body) // memory does not fail
	_ = z.Close()
	writers.Put(z)
	w.Header().Set("Content-Encoding", "gzip")
	send(w, out.Bytes())
	buffers.Put(out)
}

// Package dnstest owns a DNS server on this machine for tests: real questions over real sockets, with answers that a
// test chose. It refuses to know what they are for.
package dnstest

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Zone is what the server knows: names in small letters without the last dot. Names that it does not have do not exist.
type Zone struct {
	TXT map[string][]string
	MX  map[string][]string
	A   map[string][]string
	// Broken are names that the server fails to answer.
	Broken map[string]bool
}

// Server answers questions over UDP.
type Server struct {
	// Address is host and port.
	Address string

	mu    sync.Mutex
	zone  Zone
	asked []string
}

// Start listens until the test ends.
func Start(t *testing.T, zone Zone) *Server {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: conn.LocalAddr().String(), zone: zone}
	var done sync.WaitGroup
	done.Go(func() {
		question := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFromUDPAddrPort(question)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			if answer := s.answer(question[:n]); answer != nil {
				_, _ = conn.WriteToUDPAddrPort(answer, from)
			}
		}
	})
	t.Cleanup(func() {
		_ = conn.Close()
		done.Wait()
	})
	return s
}

// Asked are the names that were asked for.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func (s *Server) answer(question []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	s.mu.Lock()
	s.asked = append(s.asked, name)
	s.mu.Unlock()
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	_, text := s.zone.TXT[name]
	_, mail := s.zone.MX[name]
	_, host := s.zone.A[name]
	switch {
	case s.zone.Broken[name]:
		m.RCode = dnsmessage.RCodeServerFailure
	case !text && !mail && !host:
		m.RCode = dnsmessage.RCodeNameError
	}
	head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}
	add := func(body dnsmessage.ResourceBody) {
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: body})
	}
	switch q.Type {
	case dnsmessage.TypeTXT:
		for _, text := range s.zone.TXT[name] {
			add(&dnsmessage.TXTResource{TXT: pieces(text)})
		}
	case dnsmessage.TypeMX:
		for _, to := range s.zone.MX[name] {
			add(&dnsmessage.MXResource{Pref: 10, MX: dnsmessage.MustNewName(strings.TrimSuffix(to, ".") + ".")})
		}
	case dnsmessage.TypeA, dnsmessage.TypeAAAA:
		for _, text := range s.zone.A[name] {
			address := netip.MustParseAddr(text)
			switch {
			case address.Is4() && q.Type == dnsmessage.TypeA:
				add(&dnsmessage.AResource{A: address.As4()})
			case address.Is6() && q.Type == dnsmessage.TypeAAAA:
				add(&dnsmessage.AAAAResource{AAAA: address.As16()})
			}
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// pieces cuts a text as DNS has long ones.
func pieces(text string) (all []string) {
	for len(text) > 255 {
		all, text = append(all, text[:255]), text[255:]
	}
	return append(all, text)
}

// Silent is the address of a server that takes questions and never answers.
func Silent(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.LocalAddr().String()
}

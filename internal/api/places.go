package api

import (
	"net/netip"
	"sync"

	"groundwork/internal/ipnet"
)

// places bounds how much of one thing goes on at once: all together, and for each holder of a share. A holder that has
// its share waits for its own, and takes nothing from others.
type places struct {
	most int
	mu   sync.Mutex
	all  int
	by   map[holder]int
}

// holder is whose share it is: a network of auth.Network or auth.Site, an account, or a project.
type holder struct {
	network          netip.Prefix
	account, project string
}

// share is how many places a holder may have at once.
type share struct {
	holder
	most int
}

// ofAddress are the shares of what comes from an address: of its network, and of its site where that is larger.
func ofAddress(a netip.Addr, network, site int) []share {
	shares := []share{{holder{network: ipnet.Network(a)}, network}}
	if wider := ipnet.Site(a); wider != shares[0].network {
		shares = append(shares, share{holder{network: wider}, site})
	}
	return shares
}

func ofAccount(uid string, most int) share { return share{holder{account: uid}, most} }
func ofProject(uid string, most int) share { return share{holder{project: uid}, most} }

// take takes one place, which counts in each of the shares: all of them or none. full is the share that has no room;
// nil, with ok false, says that all places are taken.
func (p *places) take(shares ...share) (full *share, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range shares {
		if p.by[shares[i].holder] >= shares[i].most {
			return &shares[i], false
		}
	}
	if p.all >= p.most {
		return nil, false
	}
	if p.by == nil {
		p.by = map[holder]int{}
	}
	p.all++
	for _, s := range shares {
		p.by[s.holder]++
	}
	return nil, true
}

// taken is how many places are taken.
func (p *places) taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

// give gives a place back that was taken with these shares.
func (p *places) give(shares ...share) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	for _, s := range shares {
		if p.by[s.holder]--; p.by[s.holder] == 0 {
			delete(p.by, s.holder)
		}
	}
}

// crowded tells whether three quarters of the places are taken.
func (p *places) crowded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all*4 >= p.most*3
}

// held is the place that a call has.
type held struct {
	places *places
	shares []share
}

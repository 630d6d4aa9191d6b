// Package ipnet owns what counts as one origin of requests: the network and the site of an address. It refuses to know
// what is counted; Network and Site are all there is.
package ipnet

import "net/netip"

// Network is what counts as one address: a network of IPv6 addresses such as one household has (/64), or one IPv4
// address.
func Network(address netip.Addr) netip.Prefix { return networkOf(address, 64) }

// Site is the larger network that an address is of, such as one customer of a provider can have with 65,536 networks in
// it (/48). An IPv4 address is its own site: those are scarce. What counts by Network counts by Site too, with
// WiderShare times the room: also many phones can be of one site.
func Site(address netip.Addr) netip.Prefix { return networkOf(address, 48) }

// WiderShare is how many times the share of a network a site has.
const WiderShare = 4

// networkOf gives the network of so many bits; the zero Prefix for what is no address.
func networkOf(address netip.Addr, bits int) netip.Prefix {
	if address = address.Unmap().WithZone(""); address.Is4() {
		bits = 32
	}
	network, err := address.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}

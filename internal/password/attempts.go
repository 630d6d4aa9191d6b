package password

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/ipnet"
)

// Attempts counts what must not be tried often: signing in, and asking for a new password. It counts by what was typed,
// whether an account has that address or not, so that being refused tells nothing.
type Attempts struct {
	pause   func(ctx context.Context, d time.Duration) // wait when nil
	pausing line                                       // requests that are held back

	mu    sync.Mutex
	swept int64 // the minute in which what was over was dropped
	of    map[string]*attempt
}

type attempt struct{ count, began int64 }

// Bound is how often something may be tried within the window, and how often before answers become slow.
type Bound struct {
	key        string
	free, most int64
}

const (
	// AttemptWindow is how long attempts are counted together.
	AttemptWindow = int64(15 * time.Minute / time.Microsecond)
	mostAttempts  = 1 << 17 // bounds the memory; beyond it the rest share one count

	// FreeOfPair and MostOfPair are of one network with one e-mail address.
	FreeOfPair = 3
	// MostOfPair is when they are refused.
	MostOfPair                   = 10
	freeOfNetwork, mostOfNetwork = 20, 100 // an office behind one address has many people
	// from everywhere: so many that shutting a person out takes an attacker's many networks
	freeOfEmail, mostOfEmail = 20, 200

	// MostGood is how often within the window the right password of an account is taken: each time costs a hash and
	// makes a session, and a person who signs in on every device they have, or makes a key for every program, does so
	// less often.
	MostGood = 30

	// mostPausing is how many requests may be held back at once after many attempts, and pausingOfNetwork how many of
	// one network.
	mostPausing, pausingOfNetwork = 256, 16

	// FirstPause is how long the first slow answer takes; each further one takes longer.
	FirstPause = 250 * time.Millisecond
	// LongestPause is how long one takes at most.
	LongestPause = 4 * time.Second
)

// NewAttempts counts from nothing. pause waits where answers must be slow; nil passes the time.
func NewAttempts(pause func(ctx context.Context, d time.Duration)) *Attempts {
	if pause == nil {
		pause = wait
	}
	return &Attempts{pause: pause, pausing: line{most: mostPausing, each: pausingOfNetwork}}
}

// Take counts an attempt under each bound: fault.Limited, and nothing counted, when one is full. over is by how many it
// is beyond what is free, under the bound where that is most.
func (a *Attempts) Take(now int64, bounds ...Bound) (over int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sweep(now)
	var full int64
	for i := range bounds {
		if _, known := a.of[bounds[i].key]; !known && len(a.of) >= mostAttempts {
			bounds[i].key = ""
		}
		if t := a.get(bounds[i].key, now); t != nil && t.count >= bounds[i].most {
			full = max(full, t.began+AttemptWindow)
		}
	}
	if full > 0 {
		return 0, tooOften("This was tried too often.", full-now)
	}
	for _, b := range bounds {
		t := a.get(b.key, now)
		if t == nil {
			t = &attempt{began: now}
			a.of[b.key] = t
		}
		t.count++
		over = max(over, t.count-b.free)
	}
	return over, nil
}

// Full refuses with fault.Limited, and counts nothing, when a bound is full.
func (a *Attempts) Full(now int64, b Bound) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.get(b.key, now); t != nil && t.count >= b.most {
		return tooOften("You have signed in too often.", t.began+AttemptWindow-now)
	}
	return nil
}

// tooOften refuses for so many microseconds.
func tooOften(why string, left int64) *fault.Error {
	refusal := fault.New(fault.Limited, "%s Try again in %d minutes.", why,
		(left+int64(time.Minute/time.Microsecond)-1)/int64(time.Minute/time.Microsecond))
	refusal.RetryAfter = time.Duration(left) * time.Microsecond
	return refusal
}

// Succeeded takes an attempt back that was a good one: the first bound is as new, the others have one less.
func (a *Attempts) Succeeded(bounds ...Bound) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, b := range bounds {
		t := a.of[b.key]
		if t == nil {
			continue
		}
		if t.count--; i == 0 || t.count <= 0 {
			delete(a.of, b.key)
		}
	}
}

// Untried takes an attempt back that was not made, since too many others waited.
func (a *Attempts) Untried(bounds ...Bound) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range bounds {
		if t := a.of[b.key]; t != nil {
			t.count--
		}
	}
}

// CrowdedOut tells whether an attempt was refused before it was made.
func CrowdedOut(err error) bool {
	return fault.Is(err, fault.Limited) || fault.Is(err, fault.Unavailable)
}

// get gives what is counted under a key; nil for what is over, and for what a clock that went back had begun in the
// future.
func (a *Attempts) get(key string, now int64) *attempt {
	t := a.of[key]
	if t == nil || now-t.began >= AttemptWindow || t.began > now {
		return nil
	}
	return t
}

// Count is how often something was tried, by the key of its bound. It serves tests.
func (a *Attempts) Count(key string) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.of[key]; t != nil {
		return t.count
	}
	return 0
}

// sweep drops what is over, once a minute.
func (a *Attempts) sweep(now int64) {
	minute := now / int64(time.Minute/time.Microsecond)
	if a.of == nil {
		a.of = map[string]*attempt{}
	}
	if minute == a.swept {
		return
	}
	a.swept = minute
	for key := range a.of {
		if a.get(key, now) == nil {
			delete(a.of, key)
		}
	}
}

// from names the network and the site of an address as it was written.
func from(address string) (network, site string) {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return address, address
	}
	return ipnet.Network(parsed).String(), ipnet.Site(parsed).String()
}

// ofNetwork are the bounds of what comes from an address: of its network, and of its site where that is larger.
func ofNetwork(what, address string) []Bound {
	network, site := from(address)
	bounds := []Bound{{what + network, freeOfNetwork, mostOfNetwork}}
	if site != network {
		bounds = append(bounds, Bound{what + site, ipnet.WiderShare * freeOfNetwork, ipnet.WiderShare * mostOfNetwork})
	}
	return bounds
}

// wait passes the time, unless ctx ends first.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Slow has an attempt wait that is by so many beyond what is free: each one twice as long as the one before. It is
// refused, as by line.pass, where too many wait already.
func (a *Attempts) Slow(ctx context.Context, over int64) error {
	if over <= 0 {
		return nil
	}
	pause := LongestPause
	if doublings := over - 1; doublings < 4 {
		pause = FirstPause << doublings
	}
	return a.pausing.pass(ctx, func() { a.pause(ctx, pause) })
}

// Hold takes every place in which requests are held back, until release is called. It serves tests.
func (a *Attempts) Hold() (release func()) {
	a.pausing.mu.Lock()
	defer a.pausing.mu.Unlock()
	had := a.pausing.all
	a.pausing.all = a.pausing.most
	return func() {
		a.pausing.mu.Lock()
		defer a.pausing.mu.Unlock()
		a.pausing.all = had
	}
}

// SignIns are the bounds of signing in: of a network with an e-mail address, by its key, of an e-mail address, of a
// network and its site.
func SignIns(key, address string) []Bound {
	network, _ := from(address)
	return append([]Bound{
		{"pair " + network + " " + key, FreeOfPair, MostOfPair}, {"mail " + key, freeOfEmail, mostOfEmail},
	}, ofNetwork("from ", address)...)
}

// GoodOnes is the bound of right passwords of an e-mail address.
func GoodOnes(key string) Bound { return Bound{"good " + key, MostGood, MostGood} }

// ChangesOf is the bound of passwords that somebody who is signed in gives to choose another.
func ChangesOf(account string) Bound { return Bound{"change " + account, FreeOfPair, MostOfPair} }

// ForgottenFrom are the bounds of wishes for a new password from an address.
func ForgottenFrom(address string) []Bound { return ofNetwork("forgot from ", address) }

// ForgottenBy is the bound of the letters to an e-mail address.
func ForgottenBy(key string) Bound { return Bound{"forgot " + key, MostLetters, MostLetters} }

// StartCodes are the bounds of codes that are tried to make the first account, of a network. Nobody guesses one, from
// however many networks; a bound of all together would let strangers keep the operator out.
func StartCodes(address string) []Bound {
	network, _ := from(address)
	return []Bound{{"start from " + network, FreeOfPair, MostOfPair}}
}

// MostLetters is how often within the window a person is sent the same letter.
const MostLetters = 3

package credential

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limit is how many requests of a type a credential may make in each interval.
type Limit struct {
	Type     string // LimitAll or LimitWrite
	Interval int64  // seconds
	Limit    int64
}

// What a limit counts: all requests, or POST, PUT, PATCH and DELETE.
const (
	LimitAll   = "all"
	LimitWrite = "write"
)

// DefaultLimits are the limits of a key that has none of its own, unless the operator sets others.
func DefaultLimits() []Limit {
	return []Limit{{LimitAll, 1, 40}, {LimitAll, 86_400, 10_000}, {LimitWrite, 360, 2_000}}
}

// SessionLimits are the limits of a person in browsers, unless the operator sets others: a screen asks more often than
// a program, and all browsers of a person count together.
func SessionLimits() []Limit {
	return []Limit{{LimitAll, 1, 100}, {LimitAll, 86_400, 100_000}, {LimitWrite, 360, 4_000}}
}

const (
	mostLimits   = 16
	mostInterval = 366 * 86_400
	mostLimit    = 1_000_000_000
)

// String is the form that ParseLimit reads: TYPE/SECONDS=N.
func (l Limit) String() string { return fmt.Sprintf("%s/%d=%d", l.Type, l.Interval, l.Limit) }

// ParseLimit reads TYPE/SECONDS=N, such as write/360=2000.
func ParseLimit(text string) (Limit, error) {
	kind, rest, slash := strings.Cut(text, "/")
	seconds, count, equals := strings.Cut(rest, "=")
	if !slash || !equals {
		return Limit{}, fmt.Errorf("The limit %q is not of the form TYPE/SECONDS=N, such as all/1=40.", text)
	}
	if kind != LimitAll && kind != LimitWrite {
		return Limit{}, fmt.Errorf(
			"The limit %q counts %q; what can be counted is all (all requests) or write (POST, PUT, PATCH and DELETE).",
			text, kind)
	}
	interval, ok := whole(seconds, mostInterval)
	if !ok {
		return Limit{}, fmt.Errorf("The limit %q needs a whole number of seconds from 1 to %d.", text,
			int64(mostInterval))
	}
	n, ok := whole(count, mostLimit)
	if !ok {
		return Limit{}, fmt.Errorf("The limit %q needs a whole number of requests from 1 to %d.", text,
			int64(mostLimit))
	}
	return Limit{Type: kind, Interval: interval, Limit: n}, nil
}

// whole reads plain digits: no sign, no leading zero, from 1 to most.
func whole(text string, most int64) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 1 && n <= most && strconv.FormatInt(n, 10) == text
}

// ParseLimits reads several limits; the same type and interval may be given once.
func ParseLimits(texts []string) ([]Limit, error) {
	if len(texts) > mostLimits {
		return nil, fmt.Errorf("%d limits are given; at most %d are allowed.", len(texts), mostLimits)
	}
	var limits []Limit
	for _, text := range texts {
		limit, err := ParseLimit(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(limits, func(l Limit) bool {
			return l.Type == limit.Type && l.Interval == limit.Interval
		}) {
			return nil, fmt.Errorf("The limit %s/%d is given twice.", limit.Type, limit.Interval)
		}
		limits = append(limits, limit)
	}
	return limits, nil
}

// EncodeLimits is how limits are kept: the texts that ParseLimits reads, with spaces between them, or null for the
// defaults.
func EncodeLimits(limits []Limit) any {
	if len(limits) == 0 {
		return nil
	}
	texts := make([]string, len(limits))
	for i, l := range limits {
		texts[i] = l.String()
	}
	return strings.Join(texts, " ")
}

package app

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes, written with a unit: 500MB, 5GB, 1.5TB.
type Size int64

var units = []struct {
	name  string
	bytes Size
}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}

// UnmarshalText reads a size; without a unit it is bytes.
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := strings.ToUpper(strings.TrimSpace(string(text))), Size(1)
	for _, u := range units {
		if rest, has := strings.CutSuffix(number, u.name); has {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n*float64(unit) < 1<<62) {
		return fmt.Errorf("%q is not a size such as 500MB or 5GB", text)
	}
	*s = Size(n * float64(unit))
	return nil
}

func (s Size) String() string {
	for _, u := range units {
		if s >= u.bytes && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

const shortestLink = time.Minute

func (c Config) checkFiles() error {
	switch {
	case c.MaxFile < 0 || c.ProjectQuota < 0:
		return errors.New("The sizes of files and projects cannot be negative.")
	case c.LinkPeriod < shortestLink:
		return errors.New("Links to files must be good for a minute at least: --link-period 1m.")
	}
	return nil
}

package lab

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Quantile gives the smallest value that a share q of all does not exceed.
func Quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// Millis writes a time in milliseconds.
func Millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}

// Seconds writes a time in seconds.
func Seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s" }

// Megabytes writes a number of bytes in megabytes.
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }

// Thousands writes 50000 as 50,000.
func Thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return Thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

package document

import (
	"math/big"
	"strconv"
	"strings"
)

// Money is an amount in cents, shown as a number with two decimals.
type Money int64

// MarshalJSON gives the amount.
func (m Money) MarshalJSON() ([]byte, error) {
	sign, cents := "", int64(m)
	if cents < 0 {
		sign, cents = "-", -cents
	}
	whole, rest := strconv.FormatInt(cents/100, 10), strconv.FormatInt(100+cents%100, 10)[1:]
	return []byte(sign + whole + "." + rest), nil
}

// UnmarshalJSON reads an amount.
func (m *Money) UnmarshalJSON(text []byte) error {
	*m, _ = parseMoney(string(text))
	return nil
}

// mostCents is the first amount too great: 13 digits before the point.
var mostCents = big.NewInt(1e15)

// parseMoney reads a JSON number that is exact to the cent.
func parseMoney(number string) (Money, bool) {
	// As it is stored; every write of a record reads it.
	if point := len(number) - 3; 0 < point && point < 14 && number[point] == '.' {
		if n, err := strconv.ParseInt(number[:point]+number[point+1:], 10, 64); err == nil {
			return Money(n), true
		}
	}
	n, ok := scaled(number, 2)
	if !ok || n.CmpAbs(mostCents) >= 0 {
		return 0, false
	}
	return Money(n.Int64()), true
}

// parseInteger reads a JSON number that is whole and fits 64 bits.
func parseInteger(number string) (int64, bool) {
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return n, true
	}
	n, ok := scaled(number, 0)
	if !ok || !n.IsInt64() {
		return 0, false
	}
	return n.Int64(), true
}

// scaled gives number × 10^decimals where that is whole. An exponent beyond any sense is refused before it is worked
// out.
func scaled(number string, decimals int) (*big.Int, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if len(mantissa) > 64 {
		return nil, false
	}
	exp := 0
	if exponent != "" {
		var err error
		if exp, err = strconv.Atoi(exponent); err != nil || exp > 64 || exp < -64 {
			return nil, false
		}
	}
	r, ok := new(big.Rat).SetString(mantissa)
	if !ok {
		return nil, false
	}
	ten := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(abs(exp+decimals))), nil))
	if exp+decimals < 0 {
		r.Quo(r, ten)
	} else {
		r.Mul(r, ten)
	}
	return r.Num(), r.IsInt()
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

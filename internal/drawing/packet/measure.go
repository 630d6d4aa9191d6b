package packet

import (
	"fmt"
	"math"
)

// Measured is what a mark measures on a sheet of a size in points and of a scale, in words: the length of its line, or
// the area inside of it. It is "" where the scale is not known. Sheets of the A series are measured in metres, others
// in feet.
func Measured(at []Point, w, h, scale float64, area bool) string {
	if scale <= 0 || w <= 0 || h <= 0 {
		return ""
	}
	metric := math.Abs(max(w, h)/min(w, h)-math.Sqrt2) < 0.006
	const metresPerPoint, feet = 0.0254 / 72, 0.3048
	unit := metresPerPoint * scale
	if area {
		inside := surface(at) * w * h * unit * unit
		if metric {
			return fmt.Sprintf("%.2f m²", inside)
		}
		return fmt.Sprintf("%.1f sq ft", inside/feet/feet)
	}
	length := 0.0
	for i := 1; i < len(at); i++ {
		length += math.Hypot((at[i].X-at[i-1].X)*w, (at[i].Y-at[i-1].Y)*h) * unit
	}
	switch {
	case !metric:
		return inFeet(length / feet)
	case length < 1:
		return fmt.Sprintf("%.0f mm", length*1000)
	default:
		return fmt.Sprintf("%.2f m", length)
	}
}

// surface is the area inside of a line whose end is joined to its beginning.
func surface(at []Point) float64 {
	twice := 0.0
	for i, p := range at {
		next := at[(i+1)%len(at)]
		twice += p.X*next.Y - next.X*p.Y
	}
	return math.Abs(twice) / 2
}

// inFeet writes a length in feet and inches, to the eighth of an inch.
func inFeet(length float64) string {
	eighths := math.Round(length * 96)
	whole := math.Floor(eighths / 96)
	inches := math.Floor((eighths - whole*96) / 8)
	part, of := int(eighths-whole*96-inches*8), 8
	if part == 0 {
		return fmt.Sprintf("%.0f'-%.0f\"", whole, inches)
	}
	for part%2 == 0 {
		part, of = part/2, of/2
	}
	return fmt.Sprintf("%.0f'-%.0f %d/%d\"", whole, inches, part, of)
}

package drawing

import (
	"io"
	"math"
	"strings"
	"time"

	"github.com/bep/imagemeta"
)

// meta is what a camera wrote beside the pixels.
type meta struct {
	orientation int
	values      map[string]any
}

// wanted are the EXIF fields that are kept; all others are passed over unread.
var wanted = map[string]bool{
	"Orientation": true, "DateTimeOriginal": true, "OffsetTimeOriginal": true, "OffsetTime": true,
	"GPSLatitude": true, "GPSLatitudeRef": true, "GPSLongitude": true, "GPSLongitudeRef": true, "GPSDateStamp": true,
	"GPSTimeStamp": true,
}

// readMeta reads what it can: a photograph with damaged metadata is still a photograph.
func readMeta(in io.ReadSeeker, f format) *meta {
	m := &meta{orientation: 1, values: map[string]any{}}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return m
	}
	_, _ = imagemeta.Decode(imagemeta.Options{
		R: in, ImageFormat: f.kind, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(t imagemeta.TagInfo) bool {
			return strings.HasPrefix(t.Namespace, "IFD0") && wanted[t.Tag]
		},
		HandleTag: func(t imagemeta.TagInfo) error {
			m.values[t.Tag] = t.Value
			return nil
		},
	})
	// The decoder of HEIC turns by the container's own rule, and the EXIF field repeats it.
	if o, is := m.values["Orientation"].(uint16); is && f.kind != imagemeta.HEIF && o >= 1 && o <= 8 {
		m.orientation = int(o)
	}
	return m
}

// photo gives the fields that come from metadata.
func (m *meta) photo() *Photo {
	p := &Photo{}
	p.TakenAt, p.TakenOffset = m.taken()
	lat, lng := m.degrees("GPSLatitude", "S", 90), m.degrees("GPSLongitude", "W", 180)
	// Exactly 0, 0 is what cameras write that do not know.
	if lat != nil && lng != nil && (*lat != 0 || *lng != 0) {
		p.Latitude, p.Longitude = lat, lng
	}
	return p
}

const exifTime = "2006:01:02 15:04:05"

// taken is when the picture was taken. The offset is the camera's own, or the distance between its clock and the
// satellites' that it noted.
func (m *meta) taken() (*time.Time, *int) {
	at, err := time.Parse(exifTime, m.text("DateTimeOriginal"))
	if err != nil || at.Year() < 1 {
		return nil, nil
	}
	offset, known := m.offset(at)
	if !known {
		return &at, nil
	}
	at = at.Add(-time.Duration(offset) * time.Minute)
	return &at, &offset
}

// offset is how many minutes the camera's clock was ahead of UTC.
func (m *meta) offset(at time.Time) (minutes int, known bool) {
	const furthest = 14 * 60
	for _, name := range []string{"OffsetTimeOriginal", "OffsetTime"} {
		if t, err := time.Parse("Z07:00", m.text(name)); err == nil {
			_, seconds := t.Zone()
			if seconds/60 >= -furthest && seconds/60 <= furthest {
				return seconds / 60, true
			}
		}
	}
	gps, err := time.Parse(exifTime, m.text("GPSDateStamp")+" "+m.text("GPSTimeStamp"))
	if err != nil {
		return 0, false
	}
	// Offsets are multiples of a quarter of an hour; a fix may be some minutes old.
	quarters := math.Round(at.Sub(gps).Minutes() / 15)
	if math.Abs(at.Sub(gps).Minutes()-15*quarters) > 5 || math.Abs(quarters) > furthest/15 {
		return 0, false
	}
	return int(quarters) * 15, true
}

// text is a field that holds text, without the padding that cameras leave.
func (m *meta) text(name string) string {
	s, _ := m.values[name].(string)
	return strings.TrimSpace(strings.Trim(s, "\x00"))
}

// degrees is one of the two angles of a place.
func (m *meta) degrees(name, negative string, most float64) *float64 {
	v, is := m.values[name].(float64)
	if !is || math.IsNaN(v) || math.Abs(v) > most {
		return nil
	}
	if strings.HasPrefix(m.text(name+"Ref"), negative) {
		v = -v
	}
	return &v
}

package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are what /metrics shows, in a registry of their own.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(e *Edge) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "groundwork_http_requests_total",
			Help: "Requests answered, parts of batches included, by route and status.",
		}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "groundwork_http_request_seconds",
			Help:    "Time from the request's header to the end of its answer, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "groundwork_http_in_flight", Help: "Requests being served."},
			func() float64 { return float64(e.inFlight.Load()) }),
		taken("groundwork_event_streams_open", "Event streams that are open.", &e.streams),
		taken("groundwork_uploads_open", "Files that are being received.", &e.up),
		taken("groundwork_downloads_open", "Files that are being sent.", &e.down),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "groundwork_event_streams_limit", Help: "How many event streams may be open at once (--max-streams).",
		}, func() float64 { return float64(e.streams.most) }))
	return m
}

// Load is what the edge does at a moment.
type Load struct{ Requests, Streams, MostStreams, Uploads, Downloads int }

// Load tells what is being done now.
func (e *Edge) Load() Load {
	return Load{
		Requests: int(e.inFlight.Load()), Streams: e.streams.taken(), MostStreams: e.streams.most,
		Uploads: e.up.taken(), Downloads: e.down.taken(),
	}
}

// taken shows how many of some places are taken.
func taken(name, help string, p *places) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
		return float64(p.taken())
	})
}

func (m *metrics) of(r Route) *series {
	return &series{requests: m.requests, route: r, seconds: m.seconds.WithLabelValues(r.Method, r.Pattern)}
}

// statuses are those that are ever answered; others count as 0.
var statuses = [...]int{
	0, 200, 201, 204, 303, 304, 400, 401, 403, 404, 405, 406, 409, 412, 413, 422, 429, 500, 503, 507,
}

// statusAt is where each status is in statuses.
var statusAt = func() (at [600]uint8) {
	for i, status := range statuses {
		at[status] = uint8(i)
	}
	return at
}()

func (s *series) count(status int, took time.Duration) {
	place := uint8(0)
	if status >= 0 && status < len(statusAt) {
		place = statusAt[status]
	}
	counter := s.by[place].Load()
	if counter == nil {
		made := s.requests.WithLabelValues(s.route.Method, s.route.Pattern, strconv.Itoa(statuses[place]))
		counter = &made
		s.by[place].Store(counter)
	}
	(*counter).Inc()
	s.seconds.Observe(took.Seconds())
}

// The check of what lies beside the service for those who watch it has a module of its own, so that the parser of
// Prometheus never becomes a dependency of the service.
module groundwork/deploy/check

go 1.26.0

require (
	github.com/prometheus/client_model v0.6.3
	github.com/prometheus/common v0.72.0
	github.com/prometheus/prometheus v0.315.0
	go.yaml.in/yaml/v3 v3.0.5
)

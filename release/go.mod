// What packs the service has a module of its own, so that what only it uses never becomes a dependency of the service.
module groundwork/release

go 1.26.4

require (
	github.com/goreleaser/nfpm/v2 v2.48.0
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/crypto v0.58.0
	golang.org/x/crypto/x509roots/fallback v0.0.0-20261020153306-9f2b28d4331a
)

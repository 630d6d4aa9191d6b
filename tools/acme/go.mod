module groundwork/tools/acme

go 1.26.0

require (
	github.com/letsencrypt/pebble/v2 v2.10.1
	github.com/miekg/dns v1.1.62
)

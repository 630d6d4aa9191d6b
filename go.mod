module groundwork

go 1.26

require (
	github.com/RoaringBitmap/roaring/v2 v2.4.5
	github.com/alecthomas/kong v1.16.1
	github.com/getkin/kin-openapi v0.152.0
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3
	github.com/google/uuid v1.6.0
	github.com/jackc/pgx/v5 v5.11.0
	github.com/klauspost/compress v1.20.3
	github.com/pressly/goose/v3 v3.29.0
	github.com/prometheus/client_golang v1.25.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	golang.org/x/crypto v0.58.0
	golang.org/x/tools v0.52.0
	modernc.org/sqlite v1.60.1
	zombiezen.com/go/sqlite v1.4.2
)

replace modernc.org/libc => modernc.org/libc v1.77.1

package deps

import (
	_ "github.com/RoaringBitmap/roaring/v2"
	_ "github.com/alecthomas/kong"
	_ "github.com/getkin/kin-openapi/openapi3"
	_ "github.com/go-json-experiment/json"
	_ "github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/klauspost/compress/gzip"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/pressly/goose/v3"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "golang.org/x/crypto/argon2"
	_ "golang.org/x/tools/txtar"
	_ "golang.org/x/tools/go/packages"
	_ "golang.org/x/sync/errgroup"
	_ "modernc.org/sqlite"
	_ "zombiezen.com/go/sqlite"
)

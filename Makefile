# `make` prints this file's own help: every target with `##` behind its name is one line of it.
# `make check` is exactly what CI runs.

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
# The binary is one static file, the same from the same sources: no cgo, no paths of the machine that built it.
BUILD   := go build -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)"

# Everything is compiled in the form in which it is released, tests, vet and experiments too, so that each package is
# compiled once. Only the race detector needs another form.
export CGO_ENABLED := 0
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath

PKG  ?= ./...
OUT  ?= bin/groundwork
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help run build quick test test-browser test-raced mutants mutants-sample race prove prove-short audit fuzz release release-check release-try check fmt fmt-check vet lint generate generated update cover clean tools bench bench-app bench-short app app-check deploy-check node

help: ## Show this help
	@echo "Groundwork: make TARGET"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Build and start the service on ./data with a demo project, and print a link into the application
	bin/groundwork serve --demo --data ./data

build: ## Build bin/groundwork
	$(BUILD) -o $(OUT) ./cmd/groundwork

quick: fmt-check vet ## Formatting, vet, and the tests on SQLite that take little: the loop while you write (under a minute)
	go run ./scripts/test -quick $(ARGS) $(PKG)

test: ## Run every test that opens no browser, on SQLite and PostgreSQL (PKG=./internal/store ARGS="-run Clock" for some)
	go run ./scripts/test -browsers=without -timeout 30m -skip Mutants $(ARGS) $(PKG)

# More than a third of the whole suite: real browsers, which draw. make check plays both parts in one.
test-browser: ## Run the tests that test leaves out: the pages and the application in a real browser
	go run ./scripts/test -browsers=only -timeout 30m $(ARGS)

# GROUNDWORK_MUTANTS=SEED repeats a sample.
mutants-sample: ## Take some checks of rights out of the routes and out of the source, and see that somebody notices
	go run ./scripts/test -timeout 30m -run Mutants $(ARGS) ./internal/apitest

mutants: ## The same with every check, in turn (minutes)
	GROUNDWORK_MUTANTS=all go run ./scripts/test -timeout 60m -run Mutants $(ARGS) ./internal/apitest

# Everything else runs in one goroutine per request, so these hold all the state that goroutines share.
SHARED := ./internal/store ./internal/auth ./internal/identity ./internal/password ./internal/grant ./internal/job \
	./internal/transport ./internal/api ./internal/resource
empty :=
space := $(empty) $(empty)
comma := ,

race: ## Run the tests of the packages that share memory between requests with the race detector (needs gcc)
	go run ./scripts/test -race -timeout 30m $(ARGS) $(SHARED)

# The experiments have a module of their own, so that what only they use never becomes the service's dependency.
prove: mutants ## Try every promise on the real program, each with a control that must fail, and write docs/promises.md (hours)
	cd prove && go test ./... && { go run . --full $(ARGS); code=$$?; go run . report && exit $$code; }

# One seed: a change is held against the load that the changes before it bore. New seeds are for make prove.
prove-short: ## The same in short forms, in minutes; writes nothing
	cd prove && go test ./... && go run . --short --seed 42 $(ARGS)

# race, test and test-browser in one: each package runs once, with the race detector where goroutines share memory.
test-raced:
	go run ./scripts/test -timeout 30m -skip Mutants -raced=$(subst $(space),$(comma),$(strip $(SHARED))) $(ARGS) ./...

# mutants-sample installs what prove-short needs; the tests come last because the suite's count is the last line.
check: fmt-check vet lint generated build app-check deploy-check audit release-check mutants-sample prove-short test-raced ## Everything CI runs: formatting, vet, linters, generated files, build, application, audit, packages and image, mutants, promises, tests, some with the race detector

# What packs a release has a module of its own, so that its dependencies never become the service's. TAG=0.2.0 first cuts
# that version: CHANGELOG, commit and tag. GROUNDWORK_RELEASE_KEY is the key that signs.
TAG ?=

release: ## Make everything that people install: programs, .deb, .rpm, image, chart, checksums, bills of materials (minutes)
	$(if $(TAG),cd release && go run . cut $(TAG))
	cd release && go run . build $(ARGS)

release-check: build ## Pack this machine's .deb, .rpm and image twice, compare them, look into them, run the image in a chroot
	@[ -e bin/groundwork.cdx.json ] || $(MAKE) --no-print-directory audit
	cd release && go test ./... && go run . check

release-try: ## Install, upgrade, remove and purge the .deb in a fresh Debian made by debootstrap (as the superuser)
	cd release && go run . try $(ARGS)

# The application is built into internal/web/dist, which is committed: only who changes app/ needs Node.
app: app/node_modules/.done ## Build the application in the browser from app/ into internal/web/dist
	cd app && npm run --silent types && npm run --silent build -- --logLevel warn

# The parser of Prometheus has a module of its own, so that it never becomes the service's dependency.
deploy-check: build ## Hold the dashboard and the alert rules in deploy/ against the metrics that a server really shows
	cd deploy/check && go vet ./... && go test ./...

# What the program's tests need is built before: the application's run against the real service.
app-check: build app/node_modules/.done ## Check the application: types, layers, tests against the real service, and that the committed build is what app/ says
	cd app && npm run --silent types -- --check && npm run --silent check -- --output human
	cd app && GROUNDWORK_DRAWING_CACHE=$(CURDIR)/bin/drawing-cache NO_COLOR=1 npm run --silent test -- --reporter=dot
	cd app && npm run --silent build -- --logLevel warn
	@git diff --exit-code --stat internal/web/dist && [ -z "$$(git status --porcelain internal/web/dist)" ] || \
		{ git status --short internal/web/dist; echo "internal/web/dist is not what app/ is built into; run make app and commit it."; exit 1; }

app/node_modules/.done: app/package.json app/package-lock.json app/.npmrc | node
	cd app && npm ci --silent --no-progress && touch node_modules/.done

node:
	@command -v node >/dev/null && command -v npm >/dev/null || \
		{ echo "The application is built with Node 20.19 or later, and npm; they are not here. Everything else needs neither."; exit 1; }
	@node app/scripts/node.mjs

fmt: tools ## Format the code
	bin/gofumpt -l -w .

lint: tools ## Run the linters of .golangci.yml
	bin/golangci-lint run ./...
	cd prove && ../bin/golangci-lint run ./...
	cd release && ../bin/golangci-lint run ./...

update: ## Rewrite the expected parts of transcripts and other golden files from what the code does now
	go run ./scripts/test -timeout 40m $(ARGS) $$(grep -rl 'flag.Bool("update"' internal cmd | xargs -r dirname | sort -u | sed 's|^|./|') -update

cover: ## Show how much of each package the tests of all packages reach; the whole picture is in bin/cover.html
	mkdir -p bin
	go run ./scripts/test -timeout 20m -coverpkg=./internal/... -coverprofile=bin/cover.out $(ARGS) $(PKG)
	go tool cover -html=bin/cover.out -o bin/cover.html
	go tool cover -func=bin/cover.out | tail -1

clean: ## Remove what make built; ./data stays
	rm -rf bin

fmt-check: tools
	@unformatted=$$(bin/gofumpt -l .); if [ -n "$$unformatted" ]; then echo "Not formatted; run make fmt:"; echo "$$unformatted"; exit 1; fi

vet:
	go vet ./...
	go vet -tags soak ./internal/store
	cd prove && go vet ./...
	cd release && go vet ./...
	cd bench && go vet .

# Whatever `go generate` writes is committed: generating again must change nothing, in a clean tree or not.
generated:
	@before=$$(git status --porcelain; git diff | sha256sum); { go generate ./... && cd prove && go generate ./... && cd ..; } || exit 1; \
	after=$$(git status --porcelain; git diff | sha256sum); \
	if [ "$$before" != "$$after" ]; then echo "Generated files were not up to date; commit what go generate ./... changed:"; git status --short; exit 1; fi

# The tools have a module of their own, so that their dependencies never become the service's.
tools: bin/gofumpt bin/golangci-lint

bin/gofumpt: tools/go.mod tools/go.sum
	cd tools && go build -buildvcs=false -o ../bin/gofumpt mvdan.cc/gofumpt

bin/golangci-lint: tools/go.mod tools/go.sum
	cd tools && go build -buildvcs=false -o ../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# The yardstick has a module of its own, so that the rival it measures against never becomes the service's dependency. It takes about half an hour.
bench: build ## Measure every bar of docs/speed.md against a floor and PocketBase; writes docs/speed.md and its chart
	cd bench && go test . && go run . -program ../bin/groundwork -version "$(VERSION)"

bench-app: ## Measure the application in a browser with a large project; writes docs/speed-app.md
	go run ./scripts/test -tags bars -timeout 60m -run TestBars $(ARGS) ./internal/web -update

bench-short: build ## The same with little data, in about three minutes; prints and writes nothing
	cd bench && go test . && go run . -short -program ../bin/groundwork -keep ../bin/bench-short.json

bin/govulncheck: tools/go.mod tools/go.sum
	cd tools && go build -buildvcs=false -o ../bin/govulncheck golang.org/x/vuln/cmd/govulncheck

# A release needs the vulnerabilities too: make audit ARGS="-require vuln -cold", with GOVULNDB=FOLDER where there is no network.
audit: build ## Look at what the binary is made of: licences, bill of materials, same binary twice, secrets, vulnerabilities
	go run ./scripts/audit $(ARGS)

FUZZTIME ?= 10s

fuzz: ## Try every parser of outside bytes with made-up input, each for FUZZTIME (10s)
	go run ./scripts/fuzz -time $(FUZZTIME) $(ARGS)

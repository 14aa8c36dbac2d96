# make help lists what there is.
GO ?= go
FUZZTIME ?= 30s

.PHONY: help build test race lint bench fuzz kill demo

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

build: ## build ./plumb
	$(GO) build -trimpath -o plumb ./cmd/plumb

test: ## run all tests
	$(GO) test ./...

race: ## run all tests under the race detector
	$(GO) test -race ./...

lint: ## vet, formatting and golangci-lint
	$(GO) vet ./...
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	golangci-lint run

bench: ## run the benchmarks behind docs/performance.md
	$(GO) test -run '^$$' -bench . -benchtime 2s ./...
	bench/start.sh

fuzz: ## fuzz every parser for FUZZTIME (default 30s) each
	bench/fuzz.sh $(FUZZTIME)

kill: ## kill -9 a run again and again, and compare what comes out
	bench/kill9.sh

demo: ## the README's question
	$(GO) run ./cmd/plumb research --docs examples/corpus "Why was the Marrowgate Bridge closed in 2023, what did the repair cost, and is it safe now?"

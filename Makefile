# Pawl. The two commands that matter: go run ./cmd/pawl demo, and make test.

GO            ?= go
LINT_VERSION  := v2.15.0
LINT          := .bin/golangci-lint-$(LINT_VERSION)
KAFKA_JARS    := $(CURDIR)/.kafka
TEST_FLAGS    ?=
FUZZ_TIME     ?= 20s

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/pawl, static
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/pawl ./cmd/pawl

.PHONY: demo
demo: ## run the main job on embedded parts
	$(GO) run ./cmd/pawl demo

.PHONY: up
up: ## run everything in one process, data in ./data
	$(GO) run ./cmd/pawl up --data-dir data

.PHONY: test
test: ## all tests on kfake and real PostgreSQL
	$(GO) test -timeout 20m $(TEST_FLAGS) ./...

.PHONY: race
race: ## all tests under the race detector
	$(GO) test -race -timeout 40m $(TEST_FLAGS) ./...

.PHONY: test-kafka
test-kafka: kafka-jars ## the tests that run on real Apache Kafka
	PAWL_KAFKA_JARS=$(KAFKA_JARS) PAWL_REQUIRE_KAFKA=1 $(GO) test -p 1 -timeout 20m -count=1 $(TEST_FLAGS) ./internal/realkafka/... ./internal/e2e/...

.PHONY: kafka-jars
kafka-jars: .kafka/.done ## copy Apache Kafka's published jars to .kafka

.kafka/.done: ci/kafka/pom.xml
	rm -rf .kafka
	mvn -q -B -f ci/kafka/pom.xml dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(KAFKA_JARS)
	touch $@

.PHONY: lint
lint: $(LINT) ## golangci-lint, pinned
	$(LINT) run ./...

$(LINT):
	GOBIN=$(CURDIR)/.bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv .bin/golangci-lint $@

.PHONY: fmt
fmt: $(LINT) ## gofumpt and goimports
	$(LINT) fmt ./...

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZ_TIME
	@for package in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "$$package $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ_TIME) $$package || exit 1; \
	  done; \
	done

.PHONY: bench
bench: ## measure against the naive way and the raw limits
	$(GO) run ./bench

.PHONY: generate
generate: ## write migrations/schema.sql and the golden files anew
	$(GO) test ./migrations -run Dump -update
	$(GO) test ./schemas -update

.PHONY: payloads
payloads: ## write docs/payloads.md anew, from the real payloads in ../shared
	$(GO) test ./internal/payloads -run TestEachPayloadAlone -count=1 -update

.PHONY: module
module: ## give the module a home: make module HOME_PATH=example.com/pawl
	$(GO) mod edit -module $(HOME_PATH)
	grep -rlE '"pawl/' --include='*.go' . | xargs sed -i 's#"pawl/#"$(HOME_PATH)/#'
	sed -i 's#pawl/#$(HOME_PATH)/#; s#local-prefixes: \[pawl\]#local-prefixes: [$(HOME_PATH)]#; s#module-path: pawl#module-path: $(HOME_PATH)#' .golangci.yml

.PHONY: vet
vet: ## everything builds, tests too
	$(GO) build ./...
	$(GO) vet ./...

.PHONY: clean
clean: ## remove what was built
	rm -rf bin data bench/report.json

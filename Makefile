# Two commands set everything up on a fresh machine: `make demo` and `make test`.

CARGO ?= cargo
BINARY = target/release/backwater
SCENARIO = scenarios/kung1993/fig17-two-switches.toml
export CHROMIUM ?= $(or $(shell command -v chromium),/usr/bin/chromium)
export CHROMEDRIVER ?= $(or $(shell command -v chromedriver),/usr/bin/chromedriver)

.NOTPARALLEL:
.PHONY: help demo test format lint unit smoke browser release bench docs

help:
	@echo "make demo     build, rerun the papers claim by claim, write a report and runs/claims.json"
	@echo "make test     format, lints, all tests, the built program, the report in a browser"
	@echo "make bench    measure unit-hops a second on the standard set"
	@echo "make docs     regenerate the reference, the schema and the papers' pages below docs/"

demo: release
	@mkdir -p runs
	$(BINARY) reproduce --all --json runs/claims.json

test: format lint unit smoke browser
	@echo "make test: done"

format:
	$(CARGO) fmt --all -- --check

lint:
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

unit:
	$(CARGO) test --locked --workspace --no-fail-fast

# The program as users get it: same hash as with all checks on, and a report.
smoke: release
	$(BINARY) --version
	$(BINARY) check scenarios/*/*.toml
	$(BINARY) run $(SCENARIO) --audit --out runs/smoke

browser:
	@tests/browser/run.sh

release:
	$(CARGO) build --locked --release --package backwater

bench: release
	$(BINARY) bench

docs: release
	@mkdir -p docs/papers
	$(BINARY) reference > docs/reference.md
	$(BINARY) schema > docs/schema.json
	$(BINARY) reproduce kung1993 --markdown docs/papers/kung1993.md --out runs/docs

# Two commands set everything up on a fresh machine: `make demo` and `make test`.

CARGO ?= cargo
BINARY = target/release/backwater
PAPERS = kung1993 zhang1991 dally1990 nouredine1999 kalyanaraman1998 link-credits dcqcn rocc2020 uet-limits
SCENARIO = scenarios/kung1993/fig17-two-switches.toml
export CHROMIUM ?= $(or $(shell command -v chromium),/usr/bin/chromium)
export CHROMEDRIVER ?= $(or $(shell command -v chromedriver),/usr/bin/chromedriver)

.NOTPARALLEL:
.PHONY: help demo papers test begin format lint unit schema supply smoke identity browser release \
	documents python wheel archive packaging playground notebooks site bench docs captures pictures campaign campaign-quick \
	campaign-tool fuzz mutants reproducible

help:
	@echo "make demo     build, rerun the papers with few seeds and short runs, write a report"
	@echo "make test     format, lints, all tests, the built program, the package for Python, captures,"
	@echo "              the report in a browser"
	@echo "make papers   rerun the papers in full, claim by claim; report and runs/claims.json"
	@echo "make wheel    build the package for Python, wheel and sources, below runs/wheel/"
	@echo "make archive  what a release offers of this platform, below runs/archive/"
	@echo "make site     the documents as a book with pictures and reports, below runs/site/book/"
	@echo "make playground  a page that runs scenarios in a browser: runs/playground.html"
	@echo "make bench    measure unit-hops a second on the standard set"
	@echo "make docs     regenerate reference, glossary, errors, schema and the papers' pages below docs/"
	@echo "make pictures regenerate the pictures of README below docs/pictures/"
	@echo "make fuzz     feed changed bytes to the readers, guided by coverage"
	@echo "make campaign attack the program for a night; campaign-quick: for some minutes"
	@echo "make mutants  change one token at a time in the schemes and see whether a test notices"

demo: release
	$(BINARY) reproduce --all --quick

papers: release
	@mkdir -p runs
	$(BINARY) reproduce --all --format json > runs/claims.json

# What a machine lacks and this can't install is left out, and named at the end.
export SKIPPED = $(CURDIR)/runs/skipped
test: begin format lint unit python schema supply smoke documents packaging site captures browser
	@if [ -s $(SKIPPED) ]; then echo "make test: done but for"; sort -u $(SKIPPED); \
	else echo "make test: done, nothing left out"; fi

begin:
	@mkdir -p runs && rm -f $(SKIPPED)
	@$(CARGO) fmt --version > /dev/null 2>&1 && $(CARGO) clippy --version > /dev/null 2>&1 || \
		rustup component add rustfmt clippy || { echo "error: cargo fmt and cargo clippy are \
	needed: 'rustup component add rustfmt clippy', or Debian's rustfmt and rust-clippy"; exit 1; }

format:
	$(CARGO) fmt --all -- --check

lint:
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

unit:
	$(CARGO) test --locked --workspace --no-fail-fast

# The wheel, in an empty environment and beside pyarrow, polars and pandas.
python: release
	@BINARY=$(BINARY) tests/python/run.sh

wheel:
	@command -v maturin > /dev/null || { echo "error: pip install maturin"; exit 1; }
	maturin build --locked --sdist --out runs/wheel

archive: release
	packaging/archive.sh $(BINARY) $(shell rustc -vV | sed -n 's/^host: //p') runs/archive

# The archive, and what the workflows of releases name.
packaging: release
	@BINARY=$(BINARY) PYTHONDONTWRITEBYTECODE=1 python3 tests/packaging/test_release.py

# The program as users get it: same hash as with all checks on, and a report.
smoke: release
	$(BINARY) --version
	$(BINARY) check scenarios/*/*.toml
	$(BINARY) run $(SCENARIO) --audit --out runs/smoke
	@$(MAKE) --no-print-directory identity

# All commands that documents show, those too that take long.
documents: release
	BINARY=$(BINARY) $(CARGO) test --locked --package backwater --test command commands_of_documents

# Debug and release builds must send the same units at the same instants: a shorter run of each,
# the same tables and the same hash.
IDENTICAL = kung1993/fig17-two-switches kung1993/fig21-file-servers kung1993/sec45-lost-credit \
	flit/anynet flit/fat-tree flit/fly-dally flit/requests flit/ring-dateline flit/torus-8x8 \
	nouredine1999/fig09-unnecessary-control nouredine1999/fig13-video \
	kalyanaraman1998/fig06-five-sources
identity: release
	@$(CARGO) build --locked --package backwater
	@for name in $(IDENTICAL); do \
		shorter='run.duration="20000 cells"'; \
		if grep -q '^engine = "flit"' scenarios/$$name.toml; then \
			shorter='run.measure="2000 cycles"'; \
		elif grep -q '^engine = "ethernet"' scenarios/$$name.toml; then \
			shorter='run.duration="11 s"'; \
		elif grep -q '^warm_up = "200 ms"' scenarios/$$name.toml; then \
			shorter='run.duration="220 ms"'; \
		fi; \
		for build in debug release; do \
			rm -rf runs/identity-$$build; \
			target/$$build/backwater run scenarios/$$name.toml --set "$$shorter" \
				--out runs/identity-$$build > /dev/null || exit 1; \
			grep trace_hash runs/identity-$$build/manifest.json > runs/hash-$$build; \
		done; \
		diff -r runs/identity-debug/tables runs/identity-release/tables || exit 1; \
		cmp runs/hash-debug runs/hash-release || exit 1; \
		echo "debug and release agree on $$name:$$(cat runs/hash-release)"; \
	done

# The documents with figures and reports of the runs they tell of; every link is looked up. Pages
# need `cargo install mdbook`.
site: release playground notebooks
	@BINARY=$(BINARY) tests/site/run.sh

# What the notebooks find, for the site; needs Python 3.11 and Jupyter, which pip fetches.
notebooks:
	@tests/python/notebooks.sh

# One page with the program as WebAssembly. Without rustup the target must be there already.
playground:
	@tests/browser/playground.sh

# Editors check files by docs/schema.json.
schema:
	@tests/schema/run.sh

# Licences, sources, the promised compiler, advisories.
supply:
	@tests/supply/run.sh

# Captures as tshark and scapy read them.
captures: release
	@BINARY=$(BINARY) tests/captures/run.sh
	@BINARY=$(BINARY) tests/captures/traces.sh

# Bad inputs, random valid scenarios, crashes: docs/dev/testing.md. Another SEED is another night.
SEED ?= 1
CAMPAIGN = target/debug/campaign all --seed $(SEED) --program $(BINARY)
campaign-quick: campaign-tool
	$(CAMPAIGN)

campaign: campaign-tool
	$(CAMPAIGN) --times 10

campaign-tool: release
	$(CARGO) build --locked --package backwater-campaign

browser: release playground
	@tests/browser/run.sh

release:
	$(CARGO) build --locked --release --package backwater

bench: release
	$(BINARY) bench

docs: release
	@mkdir -p docs/papers
	@mkdir -p docs/reference
	$(BINARY) reference > docs/reference.md
	@for page in circuits ethernet flits comparison; do \
		$(BINARY) reference $$page > docs/reference/$$page.md || exit 1; \
	done
	$(BINARY) reference glossary > docs/glossary.md
	$(BINARY) reference errors > docs/errors.md
	$(BINARY) schema > docs/schema.json
	@for paper in $(PAPERS); do \
		$(BINARY) reproduce $$paper --markdown docs/papers/$$paper.md --out runs/docs || exit 1; \
	done
	cp runs/docs/figures/dcqcn/sources.svg docs/pictures/sources.svg

# README shows these; a test holds them current.
pictures: release
	@rm -rf runs/pictures && mkdir -p docs/pictures
	$(BINARY) run scenarios/ethernet/backwater.toml --out runs/pictures > /dev/null
	cp runs/pictures/figures/map.svg docs/pictures/map.svg
	@rm -rf runs/pictures
	$(BINARY) reproduce kung1993.fig18.backpressure-shares --out runs/pictures > /dev/null
	cp runs/pictures/figures/kung1993/fig18.svg docs/pictures/fig18.svg

# One token at a time changed in the files of schemes and of measuring (.cargo/mutants.toml says
# which): `make mutants PIECE=3/16` takes every sixteenth change, from all files alike, which is a
# night on two cores. docs/dev/mutants.md has results.
PIECE ?= 0/16
mutants:
	@command -v cargo-mutants > /dev/null || { echo "error: cargo install cargo-mutants"; exit 1; }
	cargo mutants --shard $(PIECE) --sharding round-robin --output runs/mutants

# Changed bytes to the readers, guided by coverage. What breaks one is kept below runs/fuzz.
FUZZ_SECONDS ?= 60
TARGETS ?= scenario files points
fuzz:
	@mkdir -p runs/fuzz/scenario runs/fuzz/files runs/fuzz/points
	@for file in scenarios/*/*.toml; do cp $$file runs/fuzz/scenario/$$(echo $$file | tr / -); done
	@cd fuzz && env -u RUSTFLAGS $(CARGO) build --locked --release
	@printf '%s\n' $(TARGETS) | xargs -P 2 -I {} sh -c 'cd $(CURDIR)/runs/fuzz && exec \
		$(CURDIR)/fuzz/target/x86_64-unknown-linux-gnu/release/{} {} ../../fuzz/seeds/{} \
		-max_total_time=$(FUZZ_SECONDS) -max_len=20000 -rss_limit_mb=1024 -timeout=10 \
		-verbosity=0 -print_final_stats=1'

# Two builds in two folders, with two homes of cargo, are the same file.
reproducible:
	@tests/supply/reproducible.sh

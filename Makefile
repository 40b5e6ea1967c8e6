# Two commands do everything on a fresh Debian or Ubuntu: `make demo` and `make test`. `make quick` is for the loop of edit and test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RYU := .cache/ryu-4.34
DEBIAN_PACKAGES := perl-base spin gcc libc6-dev graphviz openvswitch-switch tshark chromium

.PHONY: setup demo quick test lint types tests packages ryu wheel site every-packet every-engine clean

setup: $(VENV)/.ready

# Rebuilt whenever the declared dependencies change. Faucet runs on a newer os-ken than the one it pins, so it is
# installed without its dependencies.
$(VENV)/.ready: pyproject.toml tools/faucet.txt
	@echo 'installing sdnloom and all that its tests and benchmarks use into $(VENV): some 800 MB, a minute or two'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[dev]'
	$(BIN)/pip install --quiet --no-deps --requirement tools/faucet.txt
	@touch $@

# What the README's commands need, and no tools for tests: half of what `setup` installs. An environment that has those serves, too.
$(VENV)/.demo: pyproject.toml
	@if [ ! -e $(VENV)/.ready ]; then \
	  echo '1. Installing sdnloom, os-ken and a solver into $(VENV): some 430 MB, once. What pip does:' && \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/pip install --disable-pip-version-check --editable '.[osken,symbolic]'; \
	fi
	@touch $@

demo: $(VENV)/.demo
	@echo
	@echo '2. A controller program that learns where hosts are, and a host that moves: does some order of events lose packets?'
	@echo '   $(BIN)/sdnloom check examples/mac_learning/bug1.toml'
	@echo
	@$(BIN)/sdnloom check examples/mac_learning/bug1.toml --trace-dir build/demo; test $$? -eq 1 # exit code 1 is "violated", the expected result
	@echo
	@echo '3. It does: packet A:3 went to the port that B had left. What you can do next:'
	@echo '   $(BIN)/sdnloom view build/demo/bug1.NoBlackHolesMobile.sdnloom-trace.json    # the same as pictures, in your browser'
	@echo '   $(BIN)/sdnloom check examples/mac_learning/bug1_fixed.toml                   # the corrected program'
	@echo '   $(BIN)/sdnloom check --app examples/apps/learning_switch.py                  # an os-ken app, or your own'

# Installs nothing unless it can do so without asking: as root, with apt, and when something is missing.
packages:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! dpkg -s $(DEBIAN_PACKAGES) >/dev/null 2>&1; then \
	  echo "installing the Debian packages that tests use: $(DEBIAN_PACKAGES)"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(DEBIAN_PACKAGES) >/dev/null; \
	fi

# Ryu's apps, unmodified: tests and examples/ryu run them. The source archive is pinned; nothing is built.
ryu: $(RYU)

$(RYU): | setup
	$(BIN)/python tools/fetch_ryu.py $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

tests: setup packages ryu
	$(BIN)/pytest -n 2 --dist worksteal

test: packages lint types tests

# Every area, without the tests that are marked slow: under 90 seconds on two cores.
quick: setup ryu lint
	$(BIN)/pytest -n 2 --dist worksteal -m 'not slow'

# Verdicts with discovered packets and with every packet, on 3,000 random programs and flow tables: about ten minutes on one core.
every-packet: setup
	for family in tables programs both; do $(BIN)/python -m tests.inputs.every_packet $$family 0 1000 || exit 1; done

# Results of the loop and of the kernel with several threads and tiny tables, on 2,000 random systems: about four minutes on one core.
every-engine: setup
	$(BIN)/python -m tests.engine.every_engine 0 2000

wheel: setup
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

# The documentation as web pages; build/site/index.html is the first.
site: setup
	@$(BIN)/mkdocs build --strict --quiet
	@echo 'build/site/index.html is the front page; its search needs a server: $(BIN)/python -m http.server -b 127.0.0.1 -d build/site'

clean:
	rm -rf $(VENV) .cache dist build .pytest_cache .mypy_cache .ruff_cache

# `make demo` and `make test` need nothing but Python 3.11 or newer with venv; they share one environment, into which
# tests install half as much again.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Changes of the system are made by the administrator.
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: demo test nightly lint bench gate words commands art model deb install uninstall rehearsal rehearsal-arm clean

demo: $(VENV)/plain
	$(BIN)/ringmaster demo --rounds 1

test: $(VENV)/installed
	@# A real browser, broker and database; the tests that need a missing one name it.
	@{ command -v chromium && command -v dh && [ -x /usr/sbin/mosquitto ] && ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1 || \
		[ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium debhelper mosquitto postgresql \
		>/dev/null; } || true
	@# Types are looked at meanwhile: that takes most of a minute when nothing is known of them yet.
	$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check . && $(BIN)/python -m tools.budget
	@# Three workers and some fifty commands import the same files: what was compiled once is kept.
	@mkdir -p build; export PYTHONDONTWRITEBYTECODE=; $(BIN)/mypy > build/types.txt 2>&1 & types=$$!; \
		$(BIN)/python -m pytest; tests=$$?; \
		wait $$types || { cat build/types.txt; exit 1; }; exit $$tests

# All tests, those that take longer too, and 10,000 malformed requests to the page.
nightly: $(VENV)/installed
	RINGMASTER_REQUESTS=10000 $(BIN)/python -m pytest -m ""

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tools.budget
	$(BIN)/python -m tools.prose
	$(BIN)/mypy

bench: $(VENV)/installed
	$(BIN)/ringmaster bench speed

# Measures what gates a release (tools/gate.toml), and writes docs/accuracy.md; SETS: folder of unpublished pictures.
gate: $(VENV)/installed
	$(BIN)/python -m tools.gate --sets $(or $(SETS),sets)

# On a Raspberry Pi: puts the referee on it, or a newer one in its place; OPTIONS=--dry-run only says what would be done.
install:
	@$(AS_ROOT) /usr/bin/python3 systemd/installer.py install $(OPTIONS)

# A Debian package for computers like this one (its processor, its Python), in build/deb; the unit is the same.
DEB := build/deb/ringmaster
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
deb:
	@command -v dh >/dev/null || { echo "The tools for packages are missing: sudo apt-get install debhelper python3-venv python3-numpy"; exit 1; }
	rm -rf build/deb
	mkdir -p $(DEB)
	git ls-files -z $(DEB_PARTS) | xargs -0 cp --parents -t $(DEB) 2>/dev/null || cp -r $(DEB_PARTS) $(DEB)
	mv $(DEB)/systemd/debian $(DEB)/debian
	cp systemd/ringmaster.service systemd/ringmaster-club.service $(DEB)/debian/
	mv $(DEB)/debian/ringmaster-club.service $(DEB)/debian/ringmaster.ringmaster-club.service
	cp systemd/ringmaster-power.service $(DEB)/debian/ringmaster.ringmaster-power.service
	cp systemd/ringmaster-power.path $(DEB)/debian/ringmaster.ringmaster-power.path
	cp systemd/udev.rules $(DEB)/debian/ringmaster.udev
	{ printf 'ringmaster (%s) stable; urgency=medium\n\n' "$(VERSION)"; \
		sed -n '/^## $(VERSION)$$/,/^## /s/^- /  * /p' CHANGELOG.md; \
		printf '\n -- Ringmaster <ringmaster@localhost>  %s\n' "$$(date -R)"; } > $(DEB)/debian/changelog
	cd $(DEB) && dpkg-buildpackage -b -us -uc -d
	@ls build/deb/*.deb

DEB_PARTS := pyproject.toml README.md LICENSE vision hardware referee calibration simulation ringmaster systemd

# The games stay; PURGE=yes removes them, too.
uninstall:
	@$(AS_ROOT) /usr/bin/python3 systemd/installer.py uninstall $(if $(PURGE),--purge) $(OPTIONS)

# In an emulated computer, and for an emulated processor: see docs/hardware.md.
rehearsal: $(VENV)/installed
	$(BIN)/python -m tools.rehearsal.rehearse

rehearsal-arm: $(VENV)/installed
	$(BIN)/python -m tools.rehearsal.arm

# Draws our own decks again, after a change of tools/art.
art: $(VENV)/installed
	$(BIN)/python -m tools.art.deck_art

# Trains the network that finds cards, from scratch and without any picture of a card: see docs/model.md. Some 3 hours on
# two cores; OPTIONS=--go-on continues after an interruption.
model: $(VENV)/trainable
	$(BIN)/python -m tools.train.train build/model vision/models $(OPTIONS)

# Writes what all commands take into docs/commands.md, and the JSON that they give into docs/schemas.
commands: $(VENV)/installed
	$(BIN)/python -m tools.command_page docs/commands.md

# Checks the texts in three languages (referee/texts): unused and missing keys, places, forms.
words: $(VENV)/installed
	$(BIN)/python -m tools.words

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Ringmaster needs Python 3.11 or newer; this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else 0'
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo "Python's venv module is missing: sudo apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/plain: pyproject.toml | $(VENV)/bin/python
	@[ $(VENV)/installed -nt pyproject.toml ] || $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(VENV)/trainable: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[train]'
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis out

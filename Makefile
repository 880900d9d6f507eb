# The front door. Every target sees to its packages; meson and ninja do the work.

PREFIX  ?= /usr/local
# Where Debian looks for libraries. The compiler knows; meson asks a package that may not be there.
MULTIARCH = $(shell $(CC) -print-multiarch 2>/dev/null)
LIBDIR  ?= $(if $(MULTIARCH),lib/$(MULTIARCH))
DESTDIR ?=
FORMAT  ?=
SECONDS ?= 60

# Silent when there is nothing to do, which ninja would say.
NINJA = ninja -C build -n $(1) 2>&1 | grep -q 'no work to do' || ninja --quiet -C build $(1)

all: build/build.ninja | deps
	@ninja -C build build.ninja >build/configure.log || { cat build/configure.log; exit 1; }
	@$(call NINJA)

deps:
	@tools/deps build

build/build.ninja: | deps
	@meson setup build -Dtests=false >/dev/null || { cat build/meson-logs/meson-log.txt; exit 1; }

help:
	@echo 'make                    build the program: build/rastrum'
	@echo 'make demo               build it and find a fault in a recorded game; files stay in demo/'
	@echo 'make check              every test, with compiler warnings as errors and sanitizers'
	@echo 'make check-long         what takes longer than a coffee; before an issue is closed'
	@echo 'make bench              speed and memory beside their limits; writes build/bench.json'
	@echo 'make fuzz               FORMAT=murk SECONDS=600; without FORMAT every format in turn'
	@echo 'make install            PREFIX=/usr/local LIBDIR=lib/... DESTDIR='
	@echo 'make clean              remove what was built'

demo: all
	@tools/deps demo
	@examples/demo build/rastrum

check:
	@tools/deps check
	@tools/check

check-long:
	@tools/deps long
	@tools/check --long

bench: all
	@tools/deps bench
	@$(call NINJA,tests/bench/bench)
	@build/tests/bench/bench --rastrum build/rastrum --source . --out build/bench.json

fuzz:
	@tools/deps fuzz
	@tools/fuzz '$(SECONDS)' $(FORMAT)

install: all
	@meson configure build -Dprefix='$(PREFIX)' $(if $(LIBDIR),-Dlibdir='$(LIBDIR)')
	@ninja -C build build.ninja >build/configure.log || { cat build/configure.log; exit 1; }
	@$(call NINJA)
	@DESTDIR='$(abspath $(DESTDIR))' meson install -C build --no-rebuild --quiet

clean:
	rm -rf build build-check build-clang build-san build-tsan build-fuzz

.PHONY: all deps help demo check check-long bench fuzz install clean

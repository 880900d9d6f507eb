# The front door; meson and ninja do the work. demo, test, check, check-quick, check-engines,
# check-browser, check-ports, check-long, static, windows, coverage, bench, docs, pictures, dist, deb,
# fuzz and deps install the Debian packages that they need, and say so first; check, check-engines,
# check-browser and pictures also what the package-lock.json of tests/engines and tests/browser name,
# below these folders. Nothing else installs anything.

PREFIX  ?= /usr/local
# Where Debian looks for libraries below /usr; plain lib elsewhere. The compiler knows the triplet;
# meson asks a package that may not be there.
MULTIARCH = $(if $(filter /usr /usr/%,$(PREFIX)),$(shell $(CC) -print-multiarch 2>/dev/null))
LIBDIR  ?= lib$(if $(MULTIARCH),/$(MULTIARCH))
DESTDIR ?=
FORMAT  ?=
SECONDS ?= 60
T       ?=
STAGES  ?=
TWICE   ?=
GROWTH  ?=

# Silent when there is nothing to do, which ninja would say. A terminal sees how far it is.
NINJA = ninja -C build -n $(1) 2>&1 | grep -q 'no work to do' || { \
	echo 'building $(or $(1),build/rastrum)' >&2; \
	if [ -t 1 ]; then ninja -C build $(1); else ninja --quiet -C build $(1); fi; }

all: build/build.ninja | listed
	@ninja -C build build.ninja >build/configure.log || { cat build/configure.log; exit 1; }
	@$(call NINJA)

# Installs nothing: fails with what is missing.
listed:
	@tools/deps --list build

deps:
	@tools/deps build

build/build.ninja: | listed
	@meson setup build -Dtests=false >/dev/null || { cat build/meson-logs/meson-log.txt; exit 1; }

help:
	@echo 'make                    build the program: build/rastrum; installs nothing'
	@echo 'make deps               install the Debian packages that building needs'
	@echo 'make demo               build it and find a fault in a recorded game; files stay in demo/'
	@echo 'make test               T=murk: build and run what belongs to a folder, format, verb or file'
	@echo 'make check-quick        style, includes, a build, unit tests and goldens: 4 minutes'
	@echo 'make check              every test, with compiler warnings as errors and sanitizers: up to 30'
	@echo '                        minutes; STAGES="unit goldens" runs only these (tools/check --help)'
	@echo 'make check-engines      read exports with other programs (trace_processor, DuckDB, ClickHouse,'
	@echo '                        babeltrace2, ...), which it installs; a part of make check'
	@echo 'make check-browser      drive a browser through the viewer; a part of make check'
	@echo 'make check-ports        build for other machines and systems, and test what was built'
	@echo 'make static             build-static/rastrum: one file for any Linux on x86-64'
	@echo 'make windows            build-windows/rastrum.exe'
	@echo 'make check-long         fuzzing, all compilers, full effort: hours'
	@echo 'make coverage           which lines the tests run; writes build-coverage/coverage.txt'
	@echo 'make bench              speed and memory beside limits and other tools, up to an hour; writes'
	@echo '                        docs/performance.md; GROWTH=full: traces of up to 10 GB, too'
	@echo 'make docs               the manual as pages to read and search in a browser, without a server:'
	@echo '                        build/manual/index.html'
	@echo 'make pictures           take the pictures of docs/images again, in a browser'
	@echo 'make fuzz               FORMAT=murk SECONDS=600; without FORMAT every format in turn'
	@echo 'make dist               the source archive of the last commit; writes dist/'
	@echo 'make deb                the Debian packages of it, judged by lintian; writes dist/;'
	@echo '                        TWICE=yes builds them twice, and compares every byte'
	@echo 'make install            PREFIX=/usr/local LIBDIR=lib/... DESTDIR='
	@echo 'make clean              remove what was built'

demo:
	@tools/deps demo
	@$(MAKE) --no-print-directory all
	@examples/demo build/rastrum

# Only what T names is built and run; tools/test --help says what a name can be.
test:
	@tools/deps check
	@tools/test $(T)

check:
	@tools/deps check
	@tools/check $(STAGES)

check-engines:
	@tools/deps check
	@tools/check engines

check-browser:
	@tools/deps check
	@tools/check browser

check-ports:
	@tools/deps ports
	@tools/check --ports

static windows:
	@tools/deps $@
	@tools/cross $@

check-quick:
	@tools/deps check
	@tools/check --quick

check-long:
	@tools/deps long
	@tools/check --long

coverage:
	@tools/deps check
	@tools/coverage

bench:
	@tools/deps bench
	@python3 tests/engines/setup.py npm
	@$(MAKE) --no-print-directory all
	@$(call NINJA,tests/bench/bench)
	@status=0; tests/bench/measure build $(if $(filter full,$(GROWTH)),--full) || status=$$?; \
	 [ $$status -gt 1 ] || tests/bench/report build/bench.json; exit $$status

docs:
	@tools/deps docs
	@mkdir -p build
	@tools/make-docs build/manual

pictures:
	@tools/deps browser
	@$(MAKE) --no-print-directory all
	@tools/viewer-pictures

fuzz:
	@tools/deps fuzz
	@tools/fuzz '$(SECONDS)' $(FORMAT)

dist:
	@tools/deps dist
	@tools/dist

deb:
	@tools/deps deb
	@tools/deb $(if $(TWICE),--twice)

install: all
	@meson configure build -Dprefix='$(PREFIX)' $(if $(LIBDIR),-Dlibdir='$(LIBDIR)')
	@ninja -C build build.ninja >build/configure.log || { cat build/configure.log; exit 1; }
	@$(call NINJA)
	@DESTDIR='$(abspath $(DESTDIR))' meson install -C build --no-rebuild --quiet

clean:
	rm -rf build build-check build-clang build-san build-tsan build-fuzz \
	      build-coverage build-static build-windows build-windows-quick build-arm64 build-s390x \
	      build-ports build-sources build-deb

.PHONY: all listed deps help demo test check check-engines check-browser check-ports check-quick \
        check-long coverage bench docs pictures fuzz dist deb install clean static windows

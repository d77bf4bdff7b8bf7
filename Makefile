# Terrane. `make help` lists what there is to make.
KIND ?= release
CC = gcc
PREFIX ?= /usr/local
QUIET := $(if $(V),,@)# `make V=1` shows the commands
B := build/$(KIND)
OPT_release := -O2
OPT_debug := -O0
OPT_asan := -O1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_tsan := -O1 -fsanitize=thread
OPT_coverage := -O0 --coverage
OPT_fuzz := -O1 -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT ?= $(or $(OPT_$(KIND)),-O2)
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-pass-failed
# Samples must have the same bits everywhere: no contraction, and never -ffast-math.
CFLAGS += -std=gnu17 $(WARNINGS) -ffp-contract=off -fno-math-errno -fno-trapping-math -pthread -g -I. \
          -MMD -MP $(OPT)
LIBS := -lmicrohttpd -lgnutls -lpng16 -lwebp -lcjson -lisal -ldeflate -lzstd -lsqlite3 -lmemcached -lz -lm
# Row kernels are vectorised by the compiler; gcc 12 does that fully only at -O3.
HOT := core/noise/% core/world/row_kernel% core/encode/% core/tile/% server/cli/arith%

CORE := core/terrane.c $(filter-out core/examples/%,$(wildcard core/*/*.c))
# What other programs link: terrane.h and the folders behind it.
LIBRARY := core/terrane.c $(wildcard core/base/*.c core/noise/*.c core/world/*.c)
VERSION = $(shell sed -n 's/^.define TERRANE_VERSION "\(.*\)"/\1/p' core/terrane.h)
SERVER := $(filter-out server/main.c,$(wildcard server/*.c server/*/*.c server/*/*/*.c))
UNIT := $(wildcard tests/unit/*/*.c tests/unit/*/*/*.c tests/unit/*/*/*/*.c)
FUZZ := $(wildcard tests/fuzz/fuzz_*.c)
object = $(patsubst %.c,$(B)/%.o,$(1))
UNITS := $(patsubst %.c,$(B)/%,$(UNIT))

# What `make test` runs, in this order; the sanitizers run those that run the program.
CHECKS = format-check arrows unit reference golden cli library webassembly clients http fleet operation browser determinism faults faults-disk storms fuzz-short
SANITIZED = unit reference golden cli http

.PHONY: all run test deps deps-test deps-lint unit reference golden http cli library browser determinism bench bench-sets bench-players bench-mixed bench-million contact-sheet fleet operation docker-test coverage asan tsan format format-check lint install uninstall dist help clean arrows fuzz fuzz-short fuzzers faults faults-disk faults-disk-long sameness sameness-cross docker wasm webassembly clients deps-wasm deps-cross overload hostile storms schema bench-observed faults-shared faults-connections reloads restarts
.DELETE_ON_ERROR:
.SECONDARY:

all: deps $(B)/terrane ## build the program: build/release/terrane
run: all ## build everything and serve the default world
	$(B)/terrane serve
test: all deps-test ## everything an ordinary run checks
	+@MAKE="$(MAKE)" tests/tools/run.sh $(CHECKS)
deps: ## install what a build needs (apt-get, as root or with sudo)
	@tests/tools/deps.sh build
deps-test deps-lint deps-wasm deps-cross: deps
	@tests/tools/deps.sh $(@:deps-%=%)

# What tiles and chunks are made by: a cache's record is served only by a build of the same sources.
MAKERS := $(sort $(filter-out core/examples/%,$(wildcard core/*.[ch] core/*/*.[ch])) $(wildcard server/render/*.[ch] server/base/json_writer.c server/http/products/product_type.c))
SOURCES_FACT = -DTERRANE_SOURCES='"$(shell cat $(MAKERS) | sha256sum | cut -c 1-16)"'
$(B)/server/base/build.o: $(MAKERS)
COMPILE = $(CC) $(CFLAGS) $(if $(filter $(HOT),$<),$(patsubst -O2,-O3,$(filter -O2,$(OPT)))) $(if $(filter server/base/build.c,$<),$(SOURCES_FACT)) -c $< -o $@
$(B)/%.o: %.c | deps
	@mkdir -p $(@D) && echo "compile $<"
	$(QUIET)$(COMPILE)
$(B)/libterrane.a: $(call object,$(CORE))
	$(QUIET)rm -f $@ && ar rcs $@ $^
$(B)/libserver.a: $(call object,$(SERVER)) $(B)/embedded.o
	$(QUIET)rm -f $@ && ar rcs $@ $^
$(B)/terrane: $(B)/server/main.o $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# The library for other programs, shared and static: only the names of core/terrane.h can be seen.
$(B)/pic/%.o: %.c | deps
	@mkdir -p $(@D) && echo "compile $< for a library"
	$(QUIET)$(COMPILE) -fPIC -fvisibility=hidden
PIC := $(LIBRARY:%.c=$(B)/pic/%.o)
# gcc leaves target clones visible whatever it is told, so the names are hidden once more.
$(B)/pic/terrane.o: $(PIC)
	$(QUIET)$(CC) -r -nostdlib $^ -o $@ && objcopy --wildcard --keep-global-symbol='terrane_*' $@
$(B)/pic/libterrane.a: $(B)/pic/terrane.o
	$(QUIET)rm -f $@ && ar rcs $@ $^
$(B)/libterrane.so.0: $(B)/pic/terrane.o
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs $^ -lcjson -lm -o $@

# The same for WebAssembly: one module that imports nothing. Its kernels are compiled for speed, the
# rest for size; cJSON from Debian's source, as no package has it for this machine.
WASM := build/wasm
WASM_FLAGS = $(filter-out -g -pthread -O2 $(OPT),$(CFLAGS)) --target=wasm32-wasi -msimd128 -DTERRANE_NO_INT128 \
             -fvisibility=hidden -Ibuild/cjson $(if $(filter $(HOT),$<),-O3,-Os)
$(WASM)/%.o: %.c build/cjson/cjson/cJSON.h | deps-wasm
	@mkdir -p $(@D) && echo "compile $< for WebAssembly"
	$(QUIET)clang $(WASM_FLAGS) -c $< -o $@
$(WASM)/cJSON.o: build/cjson/cjson/cJSON.h
	$(QUIET)clang $(filter-out -Wconversion -Wshadow -Werror,$(WASM_FLAGS)) -c $(<:.h=.c) -o $@
build/cjson/cjson/cJSON.h:
	@tests/tools/cjson.sh
$(WASM)/terrane.wasm: $(WASM)/core/wasm.o $(LIBRARY:%.c=$(WASM)/%.o) $(WASM)/cJSON.o
	@echo "link $@"
	$(QUIET)clang --target=wasm32-wasi -mexec-model=reactor -Wl,--export-dynamic -Wl,--export=malloc -Wl,--export=free \
	    -Wl,--strip-all -Wl,--gc-sections $^ -o $@
wasm: $(WASM)/terrane.wasm ## the core as WebAssembly: build/wasm/terrane.wasm

# The pages' npm packages, fetched by lock file; then every embedded file, as data in one object.
build/viewer/.fetched: server/viewer/package.json server/viewer/package-lock.json | deps
	@mkdir -p $(@D) && cp $^ server/viewer/.npmrc $(@D)
	cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch .fetched
EMBEDDED := $(wildcard config/worlds/*.json config/styles/*.json config/golden.json \
            config/openapi.json server/viewer/*.html \
            server/viewer/*.css server/viewer/*.js)
$(B)/embedded.S: server/viewer/embed.sh build/viewer/.fetched $(EMBEDDED)
	@mkdir -p $(@D)
	$(QUIET)server/viewer/embed.sh build/viewer/node_modules $(@D)/packed $(EMBEDDED) > $@
$(B)/embedded.o: $(B)/embedded.S
	$(QUIET)$(CC) -c $< -o $@

$(UNITS:=.o): | deps-test
$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -lcmocka -o $@
$(B)/tests/bench/%: $(B)/tests/bench/%.o $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -o $@
$(B)/tests/bench/bench: $(addprefix $(B)/tests/bench/,measure.o noise.o tiles.o)
$(B)/tests/bench/closed_loop: $(B)/tests/bench/measure.o
$(B)/tests/bench/open_loop: $(addprefix $(B)/tests/bench/,measure.o targets.o)
bench: $(B)/terrane $(addprefix $(B)/tests/bench/,bench closed_loop bench_encode) ## the figures: tables and build/bench.json
	@CC="$(CC)" CFLAGS="$(CFLAGS)" node tests/bench/bench.mjs $^ build/bench.json

bench-players: $(B)/terrane ## of them a game server's alone, a table in under a minute; PLAYERS_SECONDS=1.4
	@TERRANE_BINARY=$< node tests/bench/players.mjs

bench-mixed: $(B)/terrane $(B)/tests/bench/open_loop ## of them hits beside misses, on two cores: a table; MIXED_SECONDS=5
	@TERRANE_BINARY=$< node tests/bench/mixed.mjs $(B)/tests/bench/open_loop

bench-million: $(B)/terrane ## a million different tiles asked for: memory, disk, evictions; TILES=1000000
	@TERRANE_BINARY=$< TERRANE_MEMORY=64 TERRANE_DISK=256 node tests/bench/million.mjs $(or $(TILES),1000000)
bench-observed: $(B)/terrane ## what the access log costs a cached tile: a table; BENCH_OTHER= a binary to compare with
	@TERRANE_BINARY=$< node tests/bench/observed.mjs

contact-sheet: $(B)/terrane deps-test ## one picture of worlds × styles × zooms: build/contact-sheet.png
	@tests/tools/npm.sh && node tests/tools/contact-sheet.mjs $< build/$@.png

# gcc's builds for one instruction set each, as far as this machine has them.
SETS = sse2= $(shell grep -qw avx2 /proc/cpuinfo && echo avx2=-mavx2) $(shell grep -qw avx512f /proc/cpuinfo && echo avx512=-mavx512f)
bench-sets: deps ## `terrane bench` by instruction set: a table
	+@for set in $(SETS); do $(MAKE) --no-print-directory CC=gcc KIND=$${set%%=*} \
	    OPT="-O2 -DTERRANE_BASELINE $${set#*=}" build/$${set%%=*}/terrane || exit 1; done
	@node tests/bench/sets.mjs $(foreach set,$(SETS),$(firstword $(subst =, ,$(set)))=build/$(firstword $(subst =, ,$(set)))/terrane)

unit: $(UNITS) ## unit tests
	@tests/tools/unit.sh $^
determinism: $(B)/terrane deps-test ## the same pixels from gcc -O2 and from clang -O0
	+@$(MAKE) --no-print-directory KIND=plain CC=clang OPT=-O0 build/plain/terrane
	@TERRANE_OTHER=$(CURDIR)/build/plain/terrane tests/tools/node.sh $@ $<
schema: $(B)/terrane ## config/terrane.schema.json anew, from the table of settings
	$(QUIET)$< serve --print-schema > config/terrane.schema.json
webassembly: $(B)/terrane $(WASM)/terrane.wasm deps-test ## the same bits in WebAssembly
	@tests/tools/node.sh wasm $<
# The clients are other programs: they are linked with nothing of the project's.
CLIENT := $(call object,$(wildcard tests/clients/c/*.c))
$(CLIENT): | deps-test
$(B)/tests/clients/c/walk: $(CLIENT)
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcurl -lz -lm -o $@
clients: $(B)/terrane $(B)/tests/clients/c/walk $(WASM)/terrane.wasm deps-test ## the clients in C and JavaScript against a daemon, engines' formats
	@tests/tools/node.sh $@ $<
reference golden http cli browser fleet operation: $(B)/terrane deps-test ## tests against another language, of golden bits, over HTTP, …
	@tests/tools/node.sh $@ $<
library: $(B)/terrane $(B)/libterrane.so.0 $(B)/pic/libterrane.a deps-test ## the installed library, from a program of its own
	@CC="$(CC)" tests/tools/node.sh $@ $<

$(B)/tests/determinism/samples: $(call object,tests/determinism/samples.c server/base/file.c) $(B)/libterrane.a
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@
sameness: deps-test ## the same samples from gcc and clang, each -O level and instruction set: a table
	+@MAKE="$(MAKE)" tests/tools/sameness.sh
sameness-cross: deps-test deps-cross ## the same on aarch64, s390x and i686 too, emulated
	+@MAKE="$(MAKE)" tests/tools/sameness.sh cross

$(FUZZ:%.c=$(B)/%): %: %.o $(call object,$(filter-out $(FUZZ),$(wildcard tests/fuzz/*.c))) \
                    $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@
fuzzers: deps-test $(FUZZ:%.c=$(B)/%)
FUZZ_SECONDS ?= 60
fuzz fuzz-short: deps-test ## random inputs under sanitizers, for FUZZ_SECONDS or 3 seconds each
	+@$(MAKE) --no-print-directory KIND=fuzz CC=clang fuzzers
	@tests/tools/fuzz.sh build/fuzz/tests/fuzz $(if $(filter fuzz,$@),$(FUZZ_SECONDS),3)

# Each function of the allocator's goes through a wrapper that can fail; of libraries, static ones.
WRAPPED := malloc calloc realloc aligned_alloc strdup
FAULTS := $(patsubst %.c,$(B)/%,$(wildcard tests/faults/test_*.c))
$(FAULTS): %: %.o $(call object,tests/faults/allocation_faults.c tests/faults/fault_cases.c) $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(WRAPPED:%=-Wl,--wrap=%) $^ -l:libpng16.a -lz -l:libdeflate.a -l:libzstd.a -l:libwebp.a \
	    $(shell pkg-config --static --libs-only-l libwebp) $(LIBS) -lcmocka -o $@
faults: deps-test ## every allocation made to fail, once and from then on
	+@$(MAKE) --no-print-directory KIND=fuzz CC=clang $(FAULTS:$(B)/%=build/fuzz/%)
	@tests/tools/unit.sh $(FAULTS:$(B)/%=build/fuzz/%)
faults-disk: $(B)/terrane deps-test ## the cache on a disk: killed, damaged, without room; calls that fail; faults-disk-long: 200 kills, 300 damages
	@tests/tools/node.sh faults $<
faults-disk-long: export TERRANE_KILLS = 200
faults-disk-long: export TERRANE_DAMAGES = 300
faults-disk-long: export TERRANE_FAULTS = 300
faults-disk-long: faults-disk $(addprefix $(B)/tests/unit/server/cache/test_disk_,faults power)
	@tests/tools/unit.sh $(filter-out %/terrane,$(filter $(B)/%,$^))

STORM_SECONDS ?= $(if $(filter hostile,$@),300,60)
overload: $(B)/terrane $(B)/tests/bench/open_loop ## ten times more than can be rendered, for STORM_SECONDS=60
	@node tests/faults/overload.mjs $^ $(STORM_SECONDS)
hostile: $(B)/terrane $(B)/tests/bench/open_loop ## ill-willed clients beside a polite one, for STORM_SECONDS=300
	@node tests/faults/hostile.mjs $^ $(STORM_SECONDS)
storms: $(B)/terrane $(B)/tests/bench/open_loop ## both for a few seconds
	@node tests/faults/overload.mjs $^ 5 && node tests/faults/hostile.mjs $^ 5

faults-shared: $(B)/terrane $(B)/tests/bench/memcached_faults ## what a memcached that fails, stops or hangs costs a request: figures, in two minutes
	@$(B)/tests/bench/memcached_faults
	@TERRANE_BINARY=$< node tests/faults/shared.mjs

faults-connections: $(B)/terrane ## 5000 connections that drip, and 30 s without file descriptors: two JSON objects
	@TERRANE_BINARY=$< node tests/faults/dripping.mjs
	@TERRANE_BINARY=$< node tests/faults/descriptors.mjs

reloads restarts: $(B)/terrane ## 200 reloads, or 100 rolling restarts, under load: no request may fail
	@TERRANE_BINARY=$(CURDIR)/$< node tests/faults/$@.mjs

coverage: ## the tests, and which lines and branches they ran
	+@$(MAKE) --no-print-directory KIND=$@ CHECKS="$(SANITIZED) faults-disk" test; status=$$?; \
	tests/tools/coverage.sh build/$@; exit $$status
asan tsan: ## the tests with sanitizers: address and undefined behaviour, or threads
	+@$(MAKE) --no-print-directory KIND=$@ CHECKS="$(SANITIZED)" test

arrows: $(B)/libterrane.a ## who includes whom, and that the library is pure
	@tests/tools/arrows.sh $<
format: deps-test ## format the C sources
	@tests/tools/format.sh write
format-check: deps-test ## fail if `make format` would change something
	@tests/tools/format.sh check
lint: deps-lint ## clang-tidy and shellcheck
	@tests/tools/lint.sh

INSTALLED := bin/terrane share/terrane/terrane.json include/terrane.h lib/libterrane.a \
             lib/libterrane.so.0 lib/libterrane.so lib/pkgconfig/terrane.pc
install: all $(B)/libterrane.so.0 $(B)/pic/libterrane.a ## into $(DESTDIR)$(PREFIX)
	install -D -m 755 $(B)/terrane $(DESTDIR)$(PREFIX)/bin/terrane
	install -D -m 644 config/terrane.json $(DESTDIR)$(PREFIX)/share/terrane/terrane.json
	install -D -m 644 core/terrane.h $(DESTDIR)$(PREFIX)/include/terrane.h
	install -D -m 644 $(B)/pic/libterrane.a $(DESTDIR)$(PREFIX)/lib/libterrane.a
	install -D -m 755 $(B)/libterrane.so.0 $(DESTDIR)$(PREFIX)/lib/libterrane.so.0
	ln -sf libterrane.so.0 $(DESTDIR)$(PREFIX)/lib/libterrane.so
	mkdir -p $(DESTDIR)$(PREFIX)/lib/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' core/terrane.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/terrane.pc
uninstall: ## remove what install put there
	rm -f $(INSTALLED:%=$(DESTDIR)$(PREFIX)/%)
docker: ## an image with the program
	docker build -t terrane -f docker/Dockerfile --build-arg VERSION=$(VERSION) --build-arg REVISION=$$(git rev-parse HEAD) .
docker-test: ## the image built by buildah without a daemon, run and asked; BASE=FOLDER is a Debian to begin with
	@VERSION=$(VERSION) docker/test.sh
dist: ## build/terrane.tar.gz: the sources of the last commit
	@mkdir -p build && git archive --prefix=terrane/ -o build/terrane.tar.gz HEAD

clean: ## remove everything that was built
	rm -rf build
help: ## this list
	@grep -hE '^[a-z -]+:.*## ' Makefile | sed -E 's/^([a-z -]+):.*## /  \1|/' | column -t -s '|'

-include $(shell find $(B) $(WASM) -name '*.d' 2>/dev/null)

# Faults: random inputs, failing allocations and system calls, damaged files, overload.
.PHONY: fuzz fuzz-short fuzzers faults faults-disk faults-disk-long faults-headers overload hostile storms faults-shared \
        faults-connections reloads restarts players

##@ Faults
FUZZ := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_SECONDS ?= 60
$(FUZZ:%.c=$(B)/%): %: %.o $(call object,$(filter-out $(FUZZ),$(wildcard tests/fuzz/*.c))) \
                    $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@
fuzzers: $(FUZZ:%.c=$(B)/%)
fuzz fuzz-short: deps-test ## random inputs under sanitizers, for FUZZ_SECONDS=60 or 1 second each
	+@$(MAKE) --no-print-directory KIND=fuzz CC=clang fuzzers
	@tests/tools/fuzz.sh build/fuzz/tests/fuzz $(if $(filter fuzz,$@),$(FUZZ_SECONDS),1)

# The allocator's functions go through wrappers that can fail, in the libraries too: those are static.
WRAPPED := malloc calloc realloc aligned_alloc strdup
FAULTS := $(call object,$(wildcard tests/faults/*.c)) $(B)/tests/faults/run.o $(call object,$(UNIT_SHARED))
$(FAULTS): | deps-test
$(B)/tests/faults/test: $(FAULTS) $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(WRAPPED:%=-Wl,--wrap=%) $^ -l:libpng16.a -lz -l:libdeflate.a -l:libzstd.a -l:libwebp.a \
	    $(shell pkg-config --static --libs-only-l libwebp) $(LIBS) $(CMOCKA) -o $@
faults: deps-test ## allocations of each stack of callers fail, once and from then on
	+@$(MAKE) --no-print-directory KIND=fuzz CC=clang build/fuzz/tests/faults/test
	@tests/tools/unit.sh build/fuzz/tests/faults/test
faults-disk: $(B)/terrane deps-test ## the cache and exports on a disk: kills, damage, no room, failing calls
	@tests/tools/node.sh faults $<
faults-disk-long: export TERRANE_LONG = 1
faults-disk-long: export TERRANE_KILLS = 200
faults-disk-long: export TERRANE_DAMAGES = 300
faults-disk-long: export TERRANE_FAULTS = 300
faults-disk-long: export TERRANE_TEST_SECONDS = 600
faults-disk-long: faults-disk $(B)/tests/unit/server/cache/test ## the same with 200 kills and 300 damages
	@tests/tools/unit.sh $(filter %/test,$^)
faults-headers: export TERRANE_ROUNDS ?= 100
faults-headers: $(B)/terrane deps-test ## headers of each route with failing allocations, for TERRANE_ROUNDS=100
	@TERRANE_BINARY=$< node --test tests/faults/headers.test.mjs

STORM_SECONDS ?= $(if $(filter hostile,$@),300,60)
overload: $(B)/terrane $(B)/tests/bench/open_loop ## ten times the load that can be rendered, for STORM_SECONDS=60
	@node tests/faults/overload.mjs $^ $(STORM_SECONDS)
hostile: $(B)/terrane $(B)/tests/bench/open_loop ## hostile clients beside a well-behaved one, for STORM_SECONDS=300
	@node tests/faults/hostile.mjs $^ $(STORM_SECONDS)
storms: $(B)/terrane $(B)/tests/bench/open_loop ## both for a few seconds
	@node tests/faults/overload.mjs $^ 3 && node tests/faults/hostile.mjs $^ 3
faults-shared: $(B)/terrane $(B)/tests/bench/memcached_faults deps-test ## what a failing memcached costs a request: figures, in five minutes
	@$(B)/tests/bench/memcached_faults
	@TERRANE_BINARY=$< node tests/faults/shared.mjs
faults-connections: $(B)/terrane ## 5000 slow connections, and 30 s without file descriptors: two JSON objects
	@TERRANE_BINARY=$< node tests/faults/dripping.mjs
	@TERRANE_BINARY=$< node tests/faults/descriptors.mjs
players: $(B)/terrane $(WASM)/terrane.wasm ## 200 players walk and edit for ten minutes through restarts, kills and reloads
	@TERRANE_BINARY=$(CURDIR)/$< node tests/clients/$@.mjs
reloads restarts: $(B)/terrane deps-test ## 200 reloads, or 100 rolling restarts, under load: no request may fail
	@TERRANE_BINARY=$(CURDIR)/$< node tests/faults/$@.mjs

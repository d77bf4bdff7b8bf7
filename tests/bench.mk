# Measurements: tests/bench/README.md says what each shows.
.PHONY: bench bench-prices bench-sets bench-screenful bench-players bench-mixed bench-million bench-observed bench-priority

##@ Measure
$(B)/tests/bench/%: $(B)/tests/bench/%.o $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -o $@
$(B)/tests/bench/bench: $(addprefix $(B)/tests/bench/,measure.o noise.o tiles.o)
$(B)/tests/bench/closed_loop: $(B)/tests/bench/measure.o
$(B)/tests/bench/open_loop: $(addprefix $(B)/tests/bench/,measure.o targets.o)
bench: $(B)/terrane $(addprefix $(B)/tests/bench/,bench closed_loop bench_encode) ## all figures: tables and build/bench.json
	@CC="$(CC)" CFLAGS="$(CFLAGS)" node tests/bench/bench.mjs $^ build/bench.json
bench-prices: $(B)/terrane ## what requests are priced at against what they take; PRICES_ROUNDS=3, PRICES=words in names
	@TERRANE_BINARY=$< node tests/bench/prices.mjs $(PRICES)
bench-screenful: $(B)/terrane ## bytes and processor time of the tiles of a screen; BENCH_OTHER= a binary to compare with
	@TERRANE_BINARY=$< node tests/bench/screenful.mjs
bench-players: $(B)/terrane ## a game server's figures alone, in under a minute; PLAYERS_SECONDS=1.4
	@TERRANE_BINARY=$< node tests/bench/players.mjs
bench-mixed: $(B)/terrane $(B)/tests/bench/open_loop ## cache hits beside misses, on two cores; MIXED_SECONDS=5
	@TERRANE_BINARY=$< node tests/bench/mixed.mjs $(B)/tests/bench/open_loop
bench-priority: $(B)/terrane $(B)/tests/bench/open_loop ## hits and misses by the priority of render threads; root; PRIORITY_ROUNDS=8
	@TERRANE_BINARY=$< node tests/bench/priority.mjs $(B)/tests/bench/open_loop
bench-million: $(B)/terrane ## a million different tiles: memory, disk, evictions; TILES=1000000
	@TERRANE_BINARY=$< TERRANE_MEMORY=64 TERRANE_DISK=256 node tests/bench/million.mjs $(or $(TILES),1000000)
bench-observed: $(B)/terrane ## what the access log costs a cached tile; BENCH_OTHER= a binary to compare with
	@TERRANE_BINARY=$< node tests/bench/observed.mjs

# gcc's builds for one instruction set each, as far as this machine has them.
SETS = sse2= $(shell grep -qw avx2 /proc/cpuinfo && echo avx2=-mavx2) $(shell grep -qw avx512f /proc/cpuinfo && echo avx512=-mavx512f)
bench-sets: deps ## `terrane bench` by instruction set
	+@for set in $(SETS); do $(MAKE) --no-print-directory CC=gcc KIND=$${set%%=*} \
	    OPT="-O2 -DTERRANE_BASELINE $${set#*=}" build/$${set%%=*}/terrane || exit 1; done
	@node tests/bench/sets.mjs $(foreach set,$(SETS),$(firstword $(subst =, ,$(set)))=build/$(firstword $(subst =, ,$(set)))/terrane)

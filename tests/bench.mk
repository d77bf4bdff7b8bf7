# Measurements: tests/bench/README.md says what each shows.
.PHONY: bench bench-prices bench-prices-search bench-sets sets bench-screenful bench-heights bench-players bench-mixed \
        bench-million bench-memory bench-observed bench-priority bench-page bench-frames land-figures land-zooms

##@ Measure
$(B)/tests/bench/%: $(B)/tests/bench/%.o $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -o $@
$(B)/tests/bench/bench: $(addprefix $(B)/tests/bench/,measure.o noise.o choice.o places.o tiles.o)
$(B)/tests/bench/closed_loop: $(B)/tests/bench/measure.o
$(B)/tests/bench/open_loop: $(addprefix $(B)/tests/bench/,measure.o targets.o)
$(B)/tests/bench/land/figures: $(addprefix $(B)/tests/bench/,choice.o measure.o land/courses.o land/flow.o land/shape.o land/tiles.o land/words.o)
$(B)/tests/bench/land/colours: $(addprefix $(B)/tests/bench/,choice.o measure.o land/lab.o land/tiles.o land/words.o)
$(B)/tests/bench/land/zooms: $(addprefix $(B)/tests/bench/,measure.o land/classes.o land/lab.o)
land-figures: $(B)/tests/bench/land/figures $(B)/tests/bench/land/colours ## valleys, slopes, roughness, courses and colours of land, and build/land.json; LAND="--world terra --zoom 4,8 --compare FILE"
	@node tests/bench/land/figures.mjs $< build/land.json $(LAND)
land-zooms: $(B)/tests/bench/land/zooms ## whether zooms of land agree, and build/land-zooms.json; LAND="--world terra --places 200 --zoom 0-12 --goal"
	@node tests/bench/land/zooms.mjs $< build/land-zooms.json $(LAND)
bench: $(B)/terrane $(addprefix $(B)/tests/bench/,bench closed_loop bench_encode) sets deps-bench ## all figures: tables and build/bench.json; FASTNOISE2=, FASTNOISELITE= folders to compare with
	@CC="$(CC)" CFLAGS="$(CFLAGS)" SETS="$(SETS_WORDS)" node tests/bench/bench.mjs $(filter $(B)/%,$^) build/bench.json
bench-prices: $(B)/terrane ## what requests are priced at against what they take; PRICES_ROUNDS=3, PRICES=words in names
	@TERRANE_BINARY=$< node tests/bench/prices.mjs $(PRICES)
bench-prices-search: $(B)/terrane ## random requests whose price is wrong; PRICES_COUNT=2000, PRICES_SEED=1, PRICES=words in paths
	@TERRANE_BINARY=$< node tests/bench/prices-search.mjs --seed $(or $(PRICES_SEED),1) --count $(or $(PRICES_COUNT),2000) \
	    --json build/prices.json $(PRICES)
bench-screenful: $(B)/terrane ## bytes and processor time of the tiles of a screen; BENCH_OTHER= a binary to compare with
	@TERRANE_BINARY=$< node tests/bench/screenful.mjs
bench-page: $(B)/terrane deps-test ## how fast the map page opens, and in how many bytes; PAGE_ROUNDS=5, BENCH_OTHER= a binary to compare with
	@tests/tools/npm.sh && TERRANE_BINARY=$< node tests/bench/page.mjs
bench-frames: $(B)/terrane deps-test ## frames a second of the page's 3-D, drawn by the processor; FRAMES_SECONDS=10, BENCH_OTHER= a binary to compare with
	@tests/tools/npm.sh && TERRANE_BINARY=$< node tests/bench/frames.mjs
bench-heights: $(B)/terrane ## points by POST /heights a second and core; HEIGHTS_ROUNDS=40
	@TERRANE_BINARY=$< node tests/bench/heights.mjs
bench-players: $(B)/terrane ## a game server's figures alone, in under a minute; PLAYERS_SECONDS=1.4
	@TERRANE_BINARY=$< node tests/bench/players.mjs
bench-mixed: $(B)/terrane $(B)/tests/bench/open_loop ## cache hits beside misses, on two cores; MIXED_SECONDS=5
	@TERRANE_BINARY=$< node tests/bench/mixed.mjs $(B)/tests/bench/open_loop
bench-priority: $(B)/terrane $(B)/tests/bench/open_loop ## hits and misses by the priority of render threads; root; PRIORITY_ROUNDS=8
	@TERRANE_BINARY=$< node tests/bench/priority.mjs $(B)/tests/bench/open_loop
bench-million: $(B)/terrane ## a million different tiles: memory, disk, evictions; TILES=1000000
	@TERRANE_BINARY=$< TERRANE_MEMORY=64 TERRANE_DISK=256 node tests/bench/million.mjs $(or $(TILES),1000000)
bench-memory: $(B)/terrane ## the memory of the daemon with default settings after 2000 tiles; fails above 200 MB; TILES=2000
	@TERRANE_BINARY=$< node tests/bench/memory.mjs $(or $(TILES),2000)
bench-observed: $(B)/terrane deps-bench ## what the access log costs a cached tile; BENCH_OTHER= a binary to compare with
	@TERRANE_BINARY=$< node tests/bench/observed.mjs

# gcc's builds for one instruction set each, as far as this machine has them, and programs that time
# other libraries of noise, whose sources are in the folders FASTNOISE2 and FASTNOISELITE. FastNoise2
# needs cmake and clang++; it fetches FastSIMD unless the folder FASTSIMD has it.
SETS = sse2= $(shell grep -qw avx2 /proc/cpuinfo && echo avx2=-mavx2) $(shell grep -qw avx512f /proc/cpuinfo && echo avx512=-mavx512f)
OTHERS := $(if $(FASTNOISE2),$(B)/tests/bench/fastnoise2) $(if $(FASTNOISELITE),$(B)/tests/bench/fastnoiselite)
SETS_WORDS = $(foreach set,$(SETS),$(firstword $(subst =, ,$(set)))=build/$(firstword $(subst =, ,$(set)))) $(OTHERS)
FASTNOISE2_BUILD := build/fastnoise2
bench-sets: sets ## noises and relief tiles by instruction set
	@node tests/bench/sets.mjs $(SETS_WORDS)
sets: $(OTHERS) | deps
	+@for set in $(SETS); do kind=$${set%%=*}; $(MAKE) --no-print-directory CC=gcc KIND=$$kind \
	    OPT="-O2 -DTERRANE_BASELINE $${set#*=}" build/$$kind/terrane build/$$kind/tests/bench/bench || exit 1; done
$(B)/tests/bench/fastnoise2: tests/bench/fastnoise2.cpp tests/bench/other_noises.h
	@mkdir -p $(@D) $(FASTNOISE2_BUILD)
	cmake -S $(FASTNOISE2) -B $(FASTNOISE2_BUILD) -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++ \
	    -DCMAKE_C_COMPILER=clang -DFASTNOISE2_TOOLS=OFF $(if $(FASTSIMD),-DCPM_FastSIMD_SOURCE=$(abspath $(FASTSIMD))) >$@.log
	cmake --build $(FASTNOISE2_BUILD) >>$@.log
	clang++ -std=c++17 -O3 -I. -I$(FASTNOISE2)/include -I$(or $(FASTSIMD),$(FASTNOISE2_BUILD)/_deps/fastsimd-src)/include \
	    -I$(FASTNOISE2_BUILD)/src/fastsimd/FastSIMD_FastNoise/include $< $(FASTNOISE2_BUILD)/Release/lib/libFastNoise.a -o $@
$(B)/tests/bench/fastnoiselite: tests/bench/fastnoiselite.cpp tests/bench/other_noises.h
	@mkdir -p $(@D)
	clang++ -std=c++17 -O3 -I. -I$(FASTNOISELITE) -I$(FASTNOISELITE)/Cpp $< -o $@

# The checks: what `make test` runs, sanitizers, linters.

# `make test` runs these groups of checks; the sanitizers run those that run the program. The checks of each list in
# BESIDE run beside the others, one after another: they compile or compute, while many of the others wait. What two
# checks build with, besides the program, both are in one list or in none.
GROUPS_OF_CHECKS := core http browser
CHECKS_core = format-check arrows unit reference golden library webassembly determinism faults fuzz-short
CHECKS_http = cli clients http fleet operation faults-disk storms
CHECKS_browser = browser
CHECKS = $(foreach group,$(GROUPS_OF_CHECKS),$(CHECKS_$(group)))
BESIDE = library webassembly clients determinism faults fuzz-short | browser
SANITIZED = unit reference golden library cli http
DAILY = format-check arrows unit reference golden cli http
NIGHTLY = test-long browser-long languages lint asan tsan sameness fuzz faults-disk-long faults-headers faults-shared \
          faults-connections overload hostile reloads restarts players bench-memory
run_checks = MAKE="$(MAKE)" BESIDE="$(BESIDE)" tests/tools/run.sh

# Seconds after which a test counts as hanging, in builds that are slow: see tests/README.md.
ifneq ($(filter asan tsan coverage fuzz,$(KIND)),)
export TERRANE_TEST_SECONDS ?= 200
endif

.PHONY: test $(GROUPS_OF_CHECKS:%=test-%) check test-long nightly coverage asan tsan unit reference golden cli http browser \
        golden-land browser-long fleet operation library webassembly clients godot languages determinism sameness \
        sameness-cross fresh arrows format format-check lint contact-sheet

##@ Test
test: deps-test ## all checks of an ordinary run
	+@$(run_checks) $(CHECKS)
test-core test-http test-browser: deps-test ## a third of them each: what needs no server, servers, the browser
	+@$(run_checks) $(CHECKS_$(@:test-%=%))
check: BESIDE = http
check: deps-test ## what most changes need: formatting, unit tests, references, commands and HTTP
	+@$(run_checks) $(DAILY)
test-long: export TERRANE_LONG = 1
test-long: export TERRANE_SEAMS ?= 200
test-long: export TERRANE_TRACES ?= 2000
test-long: export TERRANE_FOLLOWED ?= 200
test-long: export TERRANE_POSTS ?= 2000
test-long: deps-test ## the checks of `make test`, with more places, tiles, ways of the water and worlds
	+@$(run_checks) $(CHECKS)
nightly: deps-test deps-lint ## all checks and all that takes long: sanitizers, statistics, fuzzing, faults, load
	+@MAKE="$(MAKE)" tests/tools/run.sh $(NIGHTLY)
asan tsan: ## the checks under sanitizers: address and undefined behaviour, or threads
	+@$(MAKE) --no-print-directory KIND=$@ CHECKS="$(SANITIZED)" test
coverage: ## the checks, and which lines and branches they ran
	+@$(MAKE) --no-print-directory KIND=$@ CHECKS="$(SANITIZED) faults-disk" test; status=$$?; \
	tests/tools/coverage.sh build/$@; exit $$status

# Each folder of unit tests is one program, FOLDER/test: tests/unit/run.c knows its groups from GROUPS. A
# file that comes or goes changes the folder itself, and so run.o. The run of a group goes through run.c.
CMOCKA := -Wl,--wrap=_cmocka_run_group_tests -lcmocka
UNIT_SHARED := tests/unit/temporary_folder.c tests/unit/limit_clock.c
UNIT := $(call files_below,tests/unit,test_*.c)
UNIT_PROGRAMS := $(addsuffix test,$(sort $(dir $(UNIT:%=$(B)/%))))
groups = $(patsubst $(1)/%.c,GROUP(%),$(wildcard $(1)/test_*.c))
$(call object,$(UNIT)): | deps-test
$(B)/%/run.o: tests/unit/run.c % | deps-test
	@mkdir -p $(@D)
	$(QUIET)$(COMPILE) -DGROUPS='$(call groups,$*)'
.SECONDEXPANSION:
$(UNIT_PROGRAMS): $(B)/%/test: $(B)/%/run.o $$(call object,$$(wildcard $$*/test_*.c) $(UNIT_SHARED)) \
                   $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(CMOCKA) -o $@
$(B)/tests/unit/bench/land/test: $(addprefix $(B)/tests/bench/,choice.o measure.o land/classes.o land/courses.o land/flow.o land/lab.o land/shape.o land/tiles.o)
unit: $(UNIT_PROGRAMS) ## unit tests
	@tests/tools/unit.sh $^

# The server with jobs that take more than their prices.
$(B)/tests/http/underpriced: $(B)/tests/http/underpriced.o $(B)/server/main.o $(B)/libserver.a $(B)/libterrane.a
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--wrap=job_guard_begin $^ $(LIBS) -o $@
http: $(B)/tests/http/underpriced
operation: $(addprefix $(B)/tests/bench/land/,figures colours zooms)
browser-long: $(B)/terrane deps-test ## 3-D in a browser, which the processor draws for minutes
	@tests/tools/node.sh browser/long $<
reference golden cli http browser fleet operation: $(B)/terrane deps-test ## Node tests of one folder: over HTTP, in a browser, against references …
	@tests/tools/node.sh $@ $<
library: $(B)/terrane $(B)/libterrane.so.0 $(B)/pic/libterrane.a deps-test ## the installed library, from a program of its own
	@CC="$(CC)" tests/tools/node.sh $@ $<
golden-land: $(B)/terrane deps-test ## write anew what is stored of worlds with a drainage network, which may change until a release
	@tests/tools/npm.sh && TERRANE_BINARY=$< node tests/golden/land.mjs
	+@$(MAKE) --no-print-directory $< # with the digests that it embeds
webassembly: $(B)/terrane $(WASM)/terrane.wasm deps-test ## the same bits in WebAssembly
	@tests/tools/node.sh wasm $<
# The clients are programs of others: nothing of the project is linked to them.
CLIENT := $(call object,$(wildcard tests/clients/c/*.c server/clients/c/*.c))
$(CLIENT): | deps-test
$(B)/tests/clients/c/walk: $(CLIENT)
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcurl -lz -lm -o $@
clients: $(B)/terrane $(B)/libterrane.so.0 $(B)/tests/clients/c/walk $(WASM)/terrane.wasm deps-test ## the clients in C, JavaScript, Python and Lua; players; formats for engines
	@tests/tools/node.sh $@ $<
godot: $(B)/terrane deps-godot ## the client in GDScript, in Debian's godot3-server
	@tests/tools/node.sh clients/$@ $<
languages: $(B)/terrane $(B)/libterrane.so.0 deps-languages ## the library in Rust and C#, by Debian's compilers
	@tests/tools/node.sh clients/$@ $<

# Programs of the library alone, so that another compiler has little to build.
$(B)/tests/determinism/%: $(call object,tests/determinism/%.c server/base/file.c) $(B)/libterrane.a
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@
determinism: $(B)/terrane deps-test ## the same pixels and numbers from gcc -O2 and from clang -O1 with sanitizers
	+@$(MAKE) --no-print-directory KIND=fuzz CC=clang build/fuzz/tests/determinism/answers
	@TERRANE_OTHER=$(CURDIR)/build/fuzz/tests/determinism/answers tests/tools/node.sh $@ $<
sameness: deps-test ## the same samples from gcc and clang, each -O level and instruction set: a table
	+@MAKE="$(MAKE)" tests/tools/sameness.sh
sameness-cross: deps-test deps-cross ## the same on aarch64, s390x and i686 too, emulated
	+@MAKE="$(MAKE)" tests/tools/sameness.sh cross
fresh: deps-fresh ## targets on Debians with only git and make, as root; FRESH= targets, all that build or are quick
	@tests/tools/fresh.sh $(FRESH)

##@ Sources
arrows: $(B)/libterrane.a ## which folder includes which, that the library is pure, and unused exports of the page
	@node tests/tools/arrows.mjs $< && node tests/tools/exports.mjs
format: deps-test ## format the C sources
	@tests/tools/format.sh write
format-check: deps-test ## fail if `make format` would change something
	@tests/tools/format.sh check
lint: deps-lint ## clang-tidy and shellcheck
	@tests/tools/lint.sh
contact-sheet: $(B)/terrane deps-test ## one picture of worlds × styles × zooms: build/contact-sheet.png
	@tests/tools/npm.sh && node tests/tools/contact-sheet.mjs $< build/$@.png

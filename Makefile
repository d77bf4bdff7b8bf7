# Terrane. `make help` lists what there is to make.
KIND ?= release
CC = gcc
PREFIX ?= /usr/local
B := build/$(KIND)
OPT_release := -O2
OPT_debug := -O0
OPT_asan := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_tsan := -O1 -fsanitize=thread
OPT_coverage := -O0 --coverage
OPT ?= $(or $(OPT_$(KIND)),-O2)
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
# Samples must have the same bits everywhere: no contraction, and never -ffast-math.
CFLAGS += -std=gnu17 $(WARNINGS) -ffp-contract=off -fno-math-errno -fno-trapping-math -pthread -g -I. \
          -MMD -MP $(OPT)
LIBS := -lmicrohttpd -lpng16 -lcjson -lisal -ldeflate -lm
# Row kernels are vectorised by the compiler; gcc 12 does that fully only at -O3.
HOT := core/noise/% core/world/kernel% core/encode/% core/tile/%

CORE := $(wildcard core/*/*.c)
SERVER := $(filter-out server/main.c,$(wildcard server/*.c server/*/*.c))
UNIT := $(wildcard tests/unit/*/*/*.c tests/unit/*/*.c)
BENCH := $(wildcard tests/bench/*.c)
object = $(patsubst %.c,$(B)/%.o,$(1))
UNITS := $(patsubst %.c,$(B)/%,$(UNIT))

# What `make test` runs, in this order; the sanitizers run those that run the program.
CHECKS = format-check arrows unit cli http browser
SANITIZED = unit cli http

.PHONY: all run test deps deps-test deps-lint unit http cli browser bench coverage asan tsan format format-check lint \
        install uninstall dist help clean arrows
.DELETE_ON_ERROR:
.SECONDARY:

all: deps $(B)/terrane ## build the program: build/release/terrane
run: all ## build everything and serve the default world
	$(B)/terrane serve
test: all deps-test ## everything an ordinary run checks
	+@MAKE="$(MAKE)" tests/tools/run.sh $(CHECKS)
deps: ## install what a build needs (apt-get, as root or with sudo)
	@tests/tools/deps.sh build
deps-test deps-lint:
	@tests/tools/deps.sh $(@:deps-%=%)

$(B)/%.o: %.c | deps
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(if $(filter $(HOT),$<),$(patsubst -O2,-O3,$(filter -O2,$(OPT)))) -c $< -o $@
$(B)/libterrane.a: $(call object,$(CORE))
	rm -f $@ && ar rcs $@ $^
$(B)/libserver.a: $(call object,$(SERVER)) $(B)/embedded.o
	rm -f $@ && ar rcs $@ $^
$(B)/terrane: $(B)/server/main.o $(B)/libserver.a $(B)/libterrane.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# The pages' npm packages, fetched by lock file; then every embedded file, as data in one object.
build/viewer/.fetched: server/viewer/package.json server/viewer/package-lock.json | deps
	@mkdir -p $(@D) && cp $^ server/viewer/.npmrc $(@D)
	cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch .fetched
EMBEDDED := $(wildcard config/worlds/*.json config/styles/*.json server/viewer/*.html \
            server/viewer/*.css server/viewer/*.js)
$(B)/embedded.S: server/embed.sh build/viewer/.fetched $(EMBEDDED)
	@mkdir -p $(@D)
	server/embed.sh build/viewer/node_modules $(EMBEDDED) > $@
$(B)/embedded.o: $(B)/embedded.S
	$(CC) -c $< -o $@

$(UNITS:=.o): | deps-test
$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/libserver.a $(B)/libterrane.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -lcmocka -o $@
$(B)/tests/bench/%: $(B)/tests/bench/%.o $(B)/libserver.a $(B)/libterrane.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@
bench: $(patsubst %.c,$(B)/%,$(BENCH)) ## the figures, as tables
	@for program in $^; do $$program || exit 1; done

unit: $(UNITS) ## unit tests
	@tests/tools/unit.sh $^
http cli browser: $(B)/terrane deps-test ## tests over HTTP, of the commands, of the pages
	@tests/tools/node.sh $@ $<
coverage: ## the tests, and which lines and branches they ran
	+@$(MAKE) --no-print-directory KIND=$@ CHECKS="$(SANITIZED)" test; status=$$?; \
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

install: all ## into $(DESTDIR)$(PREFIX)
	install -D -m 755 $(B)/terrane $(DESTDIR)$(PREFIX)/bin/terrane
	install -D -m 644 config/terrane.json $(DESTDIR)$(PREFIX)/share/terrane/terrane.json
uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/terrane $(DESTDIR)$(PREFIX)/share/terrane/terrane.json
dist: ## build/terrane.tar.gz: the sources of the last commit
	@mkdir -p build && git archive --prefix=terrane/ -o build/terrane.tar.gz HEAD

clean: ## remove everything that was built
	rm -rf build
help: ## this list
	@grep -hE '^[a-z -]+:.*## ' Makefile | sed -E 's/^([a-z -]+):.*## /  \1|/' | column -t -s '|'

-include $(shell find $(B) -name '*.d' 2>/dev/null)

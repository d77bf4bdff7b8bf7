# Terrane: build, run and install. `make help` lists all targets; those of the tests are in tests/*.mk.
KIND ?= release
CC = gcc
PREFIX ?= /usr/local
QUIET := $(if $(V),,@)# `make V=1` shows the commands
B := build/$(KIND)
OPT_release := -O2
OPT_debug := -O0 -g2
OPT_asan := -O1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_tsan := -O1 -fsanitize=thread
OPT_coverage := -O0 --coverage
OPT_fuzz := $(OPT_asan) -fsanitize=fuzzer-no-link
OPT ?= $(or $(OPT_$(KIND)),-O2)
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-pass-failed
# Samples must have the same bits everywhere: no contraction, and never -ffast-math. Of debug information
# lines and functions, for backtraces and callgrind: with that of variables gcc takes a third longer.
CFLAGS += -std=gnu17 $(WARNINGS) -ffp-contract=off -fno-math-errno -fno-trapping-math -pthread -g1 -I. \
          -MMD -MP $(OPT)
LIBS := -lmicrohttpd -lgnutls -lpng16 -lwebp -ltiff -lcjson -lisal -ldeflate -lzstd -lsqlite3 -lz -lm
# Row kernels are vectorised by the compiler. gcc 12 does that fully only at -O3, and only where it has
# not first made a path of branches for each outcome of a clamp.
HOT := core/noise/% core/drainage/% core/program/row_kernel% core/sampling/row_kernel% core/encode/% core/tile/% \
       server/cli/arith%
HOT_FLAGS = $(patsubst -O2,-O3,$(filter -O2,$(OPT))) $(if $(findstring clang,$(CC)),,-fno-thread-jumps)

# The files below folders whose names match a pattern: $(call files_below,FOLDER...,PATTERN)
files_below = $(sort $(shell find $(1) -name '$(2)'))
CORE := core/terrane.c $(filter-out core/terrane.c core/wasm.c core/examples/%,$(call files_below,core,*.c))
SERVER := $(filter-out server/main.c server/clients/%,$(call files_below,server,*.c))
VERSION = $(shell sed -n 's/^.define TERRANE_VERSION "\(.*\)"/\1/p' core/terrane.h)
object = $(patsubst %.c,$(B)/%.o,$(1))

OTHER_DEPS := $(addprefix deps-,test lint wasm cross godot languages deb bench fresh)
.PHONY: all run deps $(OTHER_DEPS) build-identity schema docker docker-test dist clean help
.DELETE_ON_ERROR:
.SECONDARY:

##@ Build and run
all: deps $(B)/terrane ## build the program: build/release/terrane
run: all ## build everything and serve the default world
	$(B)/terrane serve
deps: ## install what a build needs (apt-get, as root or with sudo)
	@tests/tools/deps.sh build
$(OTHER_DEPS): deps
	@tests/tools/deps.sh $(@:deps-%=%)

# The sources that write bytes of tiles and chunks: these folders and no others. Builds with the same
# digest of them may serve each other's cached bytes.
MAKERS := $(filter-out core/price/% core/examples/%,$(foreach names,*.[ch] *.def,$(call files_below,core server/render,$(names))))
build-identity: ## the digest of the sources that write tiles and chunks
	@cat $(MAKERS) | sha256sum | cut -c 1-16
SOURCES_FACT = -DTERRANE_SOURCES='"$(shell cat $(MAKERS) | sha256sum | cut -c 1-16)"'
$(B)/server/base/build.o: $(MAKERS)
# What the library has is compiled once for the program and the shared library: callgrind counts 0.05 %
# more instructions than without -fPIC.
COMPILE = $(CC) $(CFLAGS) $(if $(filter $(LIBRARY),$<),-fPIC -fvisibility=hidden) \
          $(if $(filter $(HOT),$<),$(HOT_FLAGS)) $(if $(filter server/base/build.c,$<),$(SOURCES_FACT)) -c $< -o $@
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

# The page's npm packages, fetched by lock file; the page, bundled; then every embedded file, as data
# in one object.
build/viewer/.fetched: server/viewer/package.json server/viewer/package-lock.json | deps
	@tests/tools/npm.sh server/viewer $(@D) && touch $@
EMBEDDED := $(wildcard config/worlds/*.json config/styles/*.json config/golden.json \
            config/openapi.json config/maplibre-style.json)
VIEWER := $(shell find server/viewer server/clients/javascript -name '*.html' -o -name '*.css' -o -name '*.js')
$(B)/page/index.html: server/viewer/bundle.mjs build/viewer/.fetched $(VIEWER)
	@echo "bundle $(@D)"
	$(QUIET)node server/viewer/bundle.mjs build/viewer/node_modules $(@D) && touch $@
$(B)/embedded.S: server/viewer/embed.sh $(B)/page/index.html $(EMBEDDED)
	@mkdir -p $(@D)
	$(QUIET)server/viewer/embed.sh $(B)/page $(@D)/packed $(EMBEDDED) > $@
$(B)/embedded.o: $(B)/embedded.S
	$(QUIET)$(CC) -c $< -o $@

schema: $(B)/terrane ## write config/terrane.schema.json from the table of settings
	$(QUIET)$< serve --print-schema > config/terrane.schema.json
compile_commands.json: Makefile $(CORE) $(SERVER) ## the compiler's command for each source file, for editors
	$(QUIET)printf '%s\n' $(CORE) server/main.c $(SERVER) $(wildcard tests/*/*.c) $(UNIT) | \
	    sed 's|.*|{"directory": "$(CURDIR)", "file": "&", "command": "$(CC) $(CFLAGS) -c &"},|; 1s/^/[/; $$s/,$$/]/' > $@

##@ Images and sources
docker: ## an image with the program
	docker build -t terrane -f docker/Dockerfile --build-arg VERSION=$(VERSION) --build-arg REVISION=$$(git rev-parse HEAD) .
docker-test: ## the image, built by buildah without a daemon, and its tests; BASE=FOLDER is a Debian to begin with
	@VERSION=$(VERSION) docker/test.sh
dist: ## build/terrane.tar.gz: the sources of the last commit
	@mkdir -p build && git archive --prefix=terrane/ -o build/terrane.tar.gz HEAD

clean: ## remove everything that was built
	rm -rf build compile_commands.json
help: ## this list
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) } /^[a-z_. -]+:.*## / { printf "  %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

include core/library.mk config/package/package.mk tests/checks.mk tests/faults.mk tests/bench.mk
-include $(shell find $(B) $(WASM) -name '*.d' 2>/dev/null)

# The library for other programs: shared, static and as WebAssembly.
.PHONY: wasm

##@ Library
# What other programs link: terrane.h and the folders behind it, of core/terrain what labels need.
LIBRARY := $(filter-out core/terrain/% core/tile/% core/encode/%,$(CORE)) \
           $(patsubst %,core/terrain/%.c,angle contour_levels course rivers shore summit_blocks summits)
# The library for other programs, shared and static, of the objects of the program (COMPILE): only the
# names of core/terrane.h can be seen. gcc leaves target clones visible whatever it is told, so the
# names are hidden once more.
$(B)/pic/terrane.o: $(call object,$(LIBRARY))
	@mkdir -p $(@D)
	$(QUIET)$(CC) -r -nostdlib $^ -o $@ && objcopy --wildcard --keep-global-symbol='terrane_*' $@
$(B)/pic/libterrane.a: $(B)/pic/terrane.o
	$(QUIET)rm -f $@ && ar rcs $@ $^
$(B)/libterrane.so.0: $(B)/pic/terrane.o
	@echo "link $@"
	$(QUIET)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs $^ -lcjson -lm -o $@

# The same for WebAssembly: one module that imports nothing. Its kernels are compiled for speed, the
# rest for size; cJSON from Debian's source, as no package has it for this machine.
WASM := build/wasm
WASM_FLAGS = $(filter-out -g1 -pthread -O2 $(OPT),$(CFLAGS)) --target=wasm32-wasi -msimd128 -DTERRANE_NO_INT128 \
             -fvisibility=hidden -Ibuild/cjson $(if $(filter $(HOT),$<),-O3,-Os)
$(WASM)/%.o: %.c build/cjson/cjson/cJSON.h | deps-wasm
	@mkdir -p $(@D) && echo "compile $< for WebAssembly"
	$(QUIET)clang $(WASM_FLAGS) -c $< -o $@
$(WASM)/cJSON.o: build/cjson/cjson/cJSON.h | deps-wasm
	@mkdir -p $(@D)
	$(QUIET)clang $(filter-out -Wconversion -Wshadow -Werror,$(WASM_FLAGS)) -c $(<:.h=.c) -o $@
build/cjson/cjson/cJSON.h: | deps-wasm
	@tests/tools/cjson.sh
# The most nested worlds need 3 MB of stack; the linker's default is 64 KB.
$(WASM)/terrane.wasm: $(WASM)/core/wasm.o $(LIBRARY:%.c=$(WASM)/%.o) $(WASM)/cJSON.o
	@echo "link $@"
	$(QUIET)clang --target=wasm32-wasi -mexec-model=reactor -Wl,--export-dynamic -Wl,--export=malloc -Wl,--export=free \
	    -Wl,--strip-all -Wl,--gc-sections -Wl,--stack-first -Wl,-z,stack-size=4194304 $^ -o $@
	$(QUIET)gzip -9cn $@ > $@.gz && zstd -19cqf $@ -o $@.zst # as the daemon sends it
wasm: $(WASM)/terrane.wasm ## the core as WebAssembly: build/wasm/terrane.wasm

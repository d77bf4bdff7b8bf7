#!/bin/sh
# Builds the core by both compilers, at several levels of optimisation, for several instruction
# sets and processors, and compares what tests/determinism/samples.c prints. A build that contracts
# multiplications and additions must differ, or nothing is proved.
# usage: sameness.sh [cross]   With "cross", other processors too, emulated by qemu.
# The last line is "N passed, N failed".
set -eu
make=${MAKE:-make}
folder=build/sameness
mkdir -p "$folder"
node tests/golden/noises.mjs >"$folder/noises.json"
passed=0
failed=0
expected=

cpu_has() {
    grep -qw "$1" /proc/cpuinfo
}

verdict() {
    printf '%-9s %-51s %-13s %-17s %s\n' "$1" "$2" "$3" "$4" "$5"
}

# compare same|other COMPILER INSTRUCTIONS OPTIONS COMMAND...: what the command prints
compare() {
    want=$1
    compiler=$2
    set_name=$3
    options=$4
    shift 4
    if ! "$@" config/worlds/*.json "$folder/noises.json" -- config/styles/*.json \
        >"$folder/out.txt" 2>"$folder/log"; then
        cat "$folder/log"
        verdict "$compiler" "$options" "$set_name" - FAILED
        failed=$((failed + 1))
        return
    fi
    hash=$(sha256sum "$folder/out.txt" | cut -c 1-16)
    : "${expected:=$hash}"
    is=other
    [ "$hash" != "$expected" ] || is=same
    if [ "$is" = "$want" ]; then
        passed=$((passed + 1))
        verdict "$compiler" "$options" "$set_name" "$hash" "$is"
    else
        failed=$((failed + 1))
        verdict "$compiler" "$options" "$set_name" "$hash" "$is, FAILED: should be $want"
    fi
}

not_built() {
    cat "$folder/log"
    verdict "$1" "$3" "$2" - 'NOT BUILT'
    failed=$((failed + 1))
}

# name_of COMPILER INSTRUCTIONS OPTIONS: the folder of that build
name_of() {
    printf '%s %s %s' "$1" "$2" "$3" | tr -c 'a-zA-Z0-9\n' -
}

# row same|other COMPILER INSTRUCTIONS OPTIONS: a build of this machine's
row() {
    name=$(name_of "$2" "$3" "$4")
    if "$make" -s B="$folder/$name" CC="$2" OPT="$4" \
        "$folder/$name/tests/determinism/samples" >"$folder/log" 2>&1; then
        compare "$@" "$folder/$name/tests/determinism/samples"
    else
        not_built "$2" "$3" "$4"
    fi
}

# cross same|other COMPILER EMULATOR OPTIONS: a build of another processor's
cross() {
    processor=${3#qemu-}
    program=$folder/samples-$processor
    # shellcheck disable=SC2086 # the options are words
    if "$2" -std=gnu17 -ffp-contract=off -fno-math-errno -fno-trapping-math $4 -static -I. \
        -Ibuild/cjson core/terrane.c core/base/*.c core/noise/*.c core/world/*.c core/terrain/*.c \
        core/tile/*.c server/base/file.c tests/determinism/samples.c build/cjson/cjson/cJSON.c -lm \
        -o "$program" 2>"$folder/log"; then
        compare "$1" "$2" "${processor%-static}" "$4" "$3" "$program"
    else
        not_built "$2" "$processor" "$4"
    fi
}

verdict compiler options instructions hash result
for level in -O0 -O1 -O2 -O3; do
    row same gcc baseline "$level -DTERRANE_BASELINE"
    row same clang baseline "$level"
done
for level in -O2 -O3; do
    row same gcc clones "$level"
    for set_name in avx2 avx512f; do
        cpu_has "$set_name" || continue
        row same gcc "$set_name" "$level -DTERRANE_BASELINE -m$set_name"
        row same clang "$set_name" "$level -m$set_name"
    done
done
row same gcc native '-O2 -DTERRANE_BASELINE -march=native'
row same clang native '-O2 -march=native'
row same gcc clones '-O2 -funsigned-char'
row same clang baseline '-O2 -funsigned-char'
if cpu_has fma; then
    row other gcc fma '-O2 -DTERRANE_BASELINE -mfma -ffp-contract=fast'
    row other clang fma '-O2 -mfma -ffp-contract=fast'
fi
clones=$folder/$(name_of gcc clones -O2)/tests/determinism/samples
compare same gcc clones 'a C library told to do without AVX2 and FMA' \
    env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-FMA,-FMA_Usable,-AVX512F \
    "$clones"
if [ "${1-}" = cross ]; then
    tests/tools/cjson.sh
    compare same gcc clones 'LC_ALL=de_DE.UTF-8' env LC_ALL=de_DE.UTF-8 "$clones"
    # The clones' choice is made from the processor alone, so one without AVX and FMA is needed.
    compare same gcc clones '-O2, a processor without AVX and FMA' \
        qemu-x86_64-static -cpu Nehalem "$clones"
    for level in -O0 -O2 -O3; do
        cross same aarch64-linux-gnu-gcc qemu-aarch64-static "$level"
    done
    cross other aarch64-linux-gnu-gcc qemu-aarch64-static '-O2 -ffp-contract=fast'
    cross same s390x-linux-gnu-gcc qemu-s390x-static -O0
    cross same s390x-linux-gnu-gcc qemu-s390x-static '-O3 -march=z14'
    cross other s390x-linux-gnu-gcc qemu-s390x-static '-O2 -ffp-contract=fast'
    cross same i686-linux-gnu-gcc qemu-i386-static '-O0 -msse2 -mfpmath=sse'
    cross same i686-linux-gnu-gcc qemu-i386-static '-O3 -msse2 -mfpmath=sse'
fi
for set_name in avx2 avx512f fma; do
    cpu_has "$set_name" || echo "this processor has no $set_name, so nothing was built for it"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

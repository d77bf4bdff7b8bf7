#!/bin/sh
# Builds the core by both compilers, at several levels of optimisation, for several instruction
# sets and processors, and compares what tests/determinism/samples.c prints. A build that contracts
# multiplications and additions must differ, or nothing is proved.
# As many rows are made at once as there are processors; they are printed in their order.
# usage: sameness.sh [cross]   With "cross", other processors too, emulated by qemu.
# The last line is "N passed, N failed".
set -eu
make=${MAKE:-make}
folder=build/sameness
at_once=$(nproc)
rows=0
printed=0
passed=0
failed=0
expected=
mkdir -p "$folder"
node tests/golden/noises.mjs >"$folder/noises.json"

cpu_has() {
    grep -qw "$1" /proc/cpuinfo
}

# build PROGRAM COMPILER OPTIONS: for this machine by the Makefile, for another one at a stroke
build() {
    case $2 in
    gcc | clang) "$make" -s B="${1%/tests/*}" CC="$2" OPT="$3" "$1" ;;
    *)
        mkdir -p "${1%/*}"
        # All but the encoders, which need libraries.
        # shellcheck disable=SC2046,SC2086 # options and files are words
        "$2" -std=gnu17 -ffp-contract=off -fno-math-errno -fno-trapping-math $3 -static -I. \
            -Ibuild/cjson core/terrane.c \
            $(find core/*/ -name '*.c' ! -path '*/encode/*' ! -path '*/examples/*') \
            server/base/file.c tests/determinism/samples.c build/cjson/cjson/cJSON.c -lm -o "$1"
        ;;
    esac
}

# make_row FILE COMPILER INSTRUCTIONS OPTIONS [RUNNER...]: the hash of the samples, or "-", and the
# seconds that it took into FILE.made; messages into FILE.log
make_row() {
    file=$1
    program=$folder/$(printf '%s %s %s' "$2" "$3" "$4" | tr -c 'a-zA-Z0-9\n' -)/tests/determinism/samples
    began=$(date +%s)
    hash=-
    if build "$program" "$2" "$4" >"$file.log" 2>&1; then
        shift 4
        ! "$@" "$program" config/worlds/*.json "$folder/noises.json" -- config/styles/*.json \
            >"$file.txt" 2>>"$file.log" || hash=$(sha256sum <"$file.txt" | cut -c 1-16)
    fi
    echo "$hash $(($(date +%s) - began))" >"$file.made"
}

line() {
    printf '%-21s %-12s %-16s %7s  %-5s  %s\n' "$@"
}

# The rows that are being made, when the last of them is done.
print_rows() {
    wait
    while [ "$printed" -lt "$rows" ]; do
        printed=$((printed + 1))
        file=$folder/row-$printed
        read -r hash seconds <"$file.made"
        IFS='|' read -r wanted compiler instructions how <"$file.what"
        [ "$hash" = - ] || : "${expected:=$hash}"
        case $hash in
        -) is=none ;;
        "$expected") is=same ;;
        *) is=other ;;
        esac
        if [ "$is" = "$wanted" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            cat "$file.log"
            how="$how: FAILED, should be $wanted"
        fi
        line "$compiler" "$instructions" "$hash" "$seconds" "$is" "$how"
    done
}

# row same|other COMPILER INSTRUCTIONS OPTIONS [RUNNER...]
row() {
    rows=$((rows + 1))
    what="$1|$2|$3|$4"
    shift
    make_row "$folder/row-$rows" "$@" &
    shift 3
    echo "$what${*:+ $*}" >"$folder/row-$rows.what"
    [ $((rows - printed)) -lt "$at_once" ] || print_rows
}

line compiler instructions hash seconds is 'options, what runs it'
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
# A C library told to do without AVX2 and FMA.
row same gcc clones -O2 env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-FMA,-FMA_Usable,-AVX512F
if [ "${1-}" = cross ]; then
    tests/tools/cjson.sh
    row same gcc clones -O2 env LC_ALL=de_DE.UTF-8
    # The clones' choice is made from the processor alone, so one without AVX and FMA is needed.
    row same gcc clones -O2 qemu-x86_64-static -cpu Nehalem
    # Neighbours take about as long as each other, because rows are made in groups.
    row other aarch64-linux-gnu-gcc aarch64 '-O2 -ffp-contract=fast' qemu-aarch64-static
    row same aarch64-linux-gnu-gcc aarch64 -O0 qemu-aarch64-static
    row same s390x-linux-gnu-gcc s390x -O0 qemu-s390x-static
    row same aarch64-linux-gnu-gcc aarch64 -O2 qemu-aarch64-static
    row same aarch64-linux-gnu-gcc aarch64 -O3 qemu-aarch64-static
    row same s390x-linux-gnu-gcc s390x '-O3 -march=z14' qemu-s390x-static
    row other s390x-linux-gnu-gcc s390x '-O2 -ffp-contract=fast' qemu-s390x-static
    row same i686-linux-gnu-gcc i686 '-O0 -msse2 -mfpmath=sse' qemu-i386-static
    row same i686-linux-gnu-gcc i686 '-O3 -msse2 -mfpmath=sse' qemu-i386-static
fi
print_rows
for set_name in avx2 avx512f fma; do
    cpu_has "$set_name" || echo "this processor has no $set_name, so nothing was built for it"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

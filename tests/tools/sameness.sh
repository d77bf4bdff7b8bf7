#!/bin/sh
# Builds the core by both compilers, at several levels of optimisation and for several instruction
# sets, and compares what tests/determinism/samples.c prints. A build that contracts
# multiplications and additions must differ, or nothing is proved.
# usage: sameness.sh   The last line is "N passed, N failed".
set -eu
make=${MAKE:-make}
folder=build/sameness
mkdir -p "$folder"
passed=0
failed=0
expected=

cpu_has() {
    grep -qw "$1" /proc/cpuinfo
}

verdict() {
    printf '%-9s %-51s %-13s %-17s %s\n' "$1" "$2" "$3" "$4" "$5"
}

# row same|other COMPILER INSTRUCTIONS OPTIONS
row() {
    want=$1
    compiler=$2
    set_name=$3
    options=$4
    name=$(printf '%s %s %s' "$compiler" "$set_name" "$options" | tr -c 'a-z0-9\n' -)
    if ! "$make" -s B="$folder/$name" CC="$compiler" OPT="$options" \
        "$folder/$name/tests/determinism/samples" >"$folder/log" 2>&1 ||
        ! "$folder/$name/tests/determinism/samples" config/worlds/*.json -- config/styles/*.json \
            >"$folder/$name.txt" 2>"$folder/log"; then
        cat "$folder/log"
        verdict "$compiler" "$options" "$set_name" - FAILED
        failed=$((failed + 1))
        return
    fi
    hash=$(sha256sum "$folder/$name.txt" | cut -c 1-16)
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

verdict compiler options instructions hash result
for level in -O0 -O2 -O3; do
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
cpu_has avx512f || echo 'this processor has no AVX-512, so nothing was built for it'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

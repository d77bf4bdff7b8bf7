#!/bin/sh
# Runs the fuzz targets one after another: each over its corpus, then with new inputs.
# usage: fuzz.sh FOLDER SECONDS   The last line is "N passed, N failed".
# FOLDER has the programs; new inputs that reach new code are kept in FOLDER/found/NAME, and inputs
# that break something as FOLDER/broken-NAME-*: those belong into tests/fuzz/corpus/NAME.
set -eu
folder=$1
seconds=$2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
passed=0
failed=0

# The number behind a word, the last time it stands in the output.
figure() {
    awk -v word="$1" '{ for (i = 1; i < NF; i++) if ($i == word) found = $(i + 1) }
                      END { print found + 0 }' "$output"
}

for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    program=$folder/fuzz_$name
    found=$folder/found/$name
    corpus=tests/fuzz/corpus/$name
    mkdir -p "$found"
    set -- -seed=1 -timeout=10 -rss_limit_mb=2048 -max_len=6000 -use_value_profile=1 \
        -print_final_stats=1 -artifact_prefix="$folder/broken-$name-"
    [ ! -f "tests/fuzz/$name.dict" ] || set -- "$@" -dict="tests/fuzz/$name.dict"
    if "$program" -runs=0 "$@" "$corpus" >"$output" 2>&1 &&
        "$program" "$@" -max_total_time="$seconds" "$found" "$corpus" >"$output" 2>&1; then
        passed=$((passed + 1))
        echo "ok $name: $(figure stat::number_of_executed_units:) executions in $seconds s," \
            "$(figure cov:) edges"
    else
        failed=$((failed + 1))
        tail -n 60 "$output"
        echo "FAILED $name"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

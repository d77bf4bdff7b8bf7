#!/bin/sh
# Runs the fuzz targets, as many at once as there are processors: each over its corpus, then with
# new inputs.
# usage: fuzz.sh FOLDER SECONDS   The last line is "N passed, N failed".
# FOLDER has the programs. New inputs that reach new code are kept in FOLDER/found/NAME; inputs that
# fail are written to FOLDER/broken-NAME-* and belong into tests/fuzz/corpus/NAME.
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# The number behind a word, the last time it stands in the output.
figure() {
    awk -v word="$1" '{ for (i = 1; i < NF; i++) if ($i == word) found = $(i + 1) }
                      END { print found + 0 }' "$output"
}

# run_target FOLDER SECONDS NAME
run_target() {
    program=$1/fuzz_$3
    found=$1/found/$3
    corpus=tests/fuzz/corpus/$3
    seconds=$2
    name=$3
    mkdir -p "$found"
    set -- -seed=1 -timeout=60 -rss_limit_mb=2048 -max_len=6000 -use_value_profile=1 \
        -print_final_stats=1 -artifact_prefix="$1/broken-$name-"
    [ ! -f "tests/fuzz/$name.dict" ] || set -- "$@" -dict="tests/fuzz/$name.dict"
    if "$program" -runs=0 "$@" "$corpus" >"$output" 2>&1 &&
        "$program" "$@" -max_total_time="$seconds" "$found" "$corpus" >"$output" 2>&1; then
        echo "ok $name: $(figure stat::number_of_executed_units:) executions in $seconds s," \
            "$(figure cov:) edges"
    else
        echo "FAILED $name" >>"$output"
        tail -n 60 "$output"
    fi
}

if [ "$1" = --target ]; then
    run_target "$2" "$3" "$4"
    exit
fi
targets=$(basename -s .c tests/fuzz/fuzz_*.c | sed 's/^fuzz_//')
printf '%s\n' "$targets" | xargs -P "$(nproc)" -n 1 "$0" --target "$1" "$2" | tee "$output"
passed=$(grep -c '^ok [a-z_]*: [0-9]* executions in [0-9]* s, [0-9]* edges$' "$output" || true)
failed=$(($(printf '%s\n' "$targets" | wc -l) - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

#!/bin/sh
# Runs a folder of Node tests against a binary.
# usage: node.sh FOLDER BINARY   The last line is "N passed, N failed".
set -eu
folder=$1
TERRANE_BINARY=$(realpath "$2")
export TERRANE_BINARY
output=$(mktemp)
trap 'rm -f "$output"' EXIT
tests/tools/npm.sh
# Older releases of Node lack some options.
has_option() {
    node --help | grep -e "$1" >/dev/null # not -q, which ends before Node has written all
}
# A file for each processor at once: by default Node leaves one processor idle. The tests of faults
# judge times.
concurrency=
[ "$folder" = faults ] || ! has_option --test-concurrency || concurrency=--test-concurrency=$(nproc)
# All files of browser tests use the same browsers. Their processes wait for processors, too, which the clock of the
# tests does not see: so they have more time.
run=
case $folder in
browser*)
    run='node tests/browser/shared.mjs'
    export TERRANE_TEST_SECONDS="${TERRANE_TEST_SECONDS:-120}"
    ;;
esac
# watchdog.cjs ends tests that hang. Where the code of a file blocks, which no timer can interrupt, its process
# is ended after many times as long; later releases apply this limit to each test.
limit=
! has_option --test-timeout || limit=--test-timeout=$((${TERRANE_TEST_SECONDS:-20} * 30000))
{
    status=0
    # shellcheck disable=SC2086 # words or nothing
    $run node --require ./tests/tools/watchdog.cjs --test $concurrency $limit --test-reporter=spec "tests/$folder"/*.test.mjs 2>&1 || status=$?
    echo "status $status" >"$output.status"
} | tee "$output"
status=$(sed 's/status //' "$output.status")
rm -f "$output.status"
grep '^slow test: ' "$output" || true

# The number in the reporter's closing line "ℹ pass 12".
count() {
    awk -v name="$1" '$2 == name && NF == 3 { sum = $3 } END { print sum + 0 }' "$output"
}
passed=$(count pass)
failed=$(($(count fail) + $(count cancelled)))
[ "$status" = 0 ] || [ "$failed" != 0 ] || failed=1
[ "$passed" != 0 ] || [ "$failed" != 0 ] || failed=1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

#!/bin/sh
# Runs a folder of Node tests against a binary.
# usage: node.sh FOLDER BINARY   The last line is "N passed, N failed".
set -eu
folder=$1
TERRANE_BINARY=$(realpath "$2")
export TERRANE_BINARY
output=$(mktemp)
trap 'rm -f "$output"' EXIT
[ ! -f tests/package.json ] || tests/tools/npm.sh
{
    status=0
    node --test --test-reporter=spec "tests/$folder"/*.test.mjs 2>&1 || status=$?
    echo "status $status" >"$output.status"
} | tee "$output"
status=$(sed 's/status //' "$output.status")
rm -f "$output.status"

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

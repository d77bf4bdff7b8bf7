#!/bin/sh
# Runs cmocka programs. A program that passes gives one line, any other its whole output.
# usage: unit.sh PROGRAM...   The last line is "N passed, N failed".
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT
passed=0
failed=0

# The number of tests in cmocka's line "[  PASSED  ] N test(s)." or "[  FAILED  ] name: N test(s)".
count() {
    sed -n "s/^\[  $1  \] \(.*: \)\{0,1\}\([0-9]*\) test(s).*/\2/p" "$output" |
        awk '{ sum += $1 } END { print sum + 0 }'
}

for program in "$@"; do
    name=${program%/test}
    status=0
    "$program" >"$output" 2>&1 || status=$?
    good=$(count PASSED)
    bad=$(count FAILED)
    if [ "$status" != 0 ] || [ "$good" = 0 ]; then
        # A program that crashed or ran no test has failed, even without a counted failure.
        [ "$bad" != 0 ] || bad=1
        cat "$output"
        echo "FAILED ${name#*/tests/} (status $status)"
    else
        echo "ok ${name#*/tests/} ($good)"
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

#!/bin/sh
# Runs the groups of unit test programs (tests/unit/run.c), two at once for each processor, those of
# the server first: many of them wait. A group that passes gives one line, any other its whole output.
# usage: unit.sh PROGRAM...   The last line is "N passed, N failed".
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# The number of tests in cmocka's line "[  PASSED  ] N test(s)." or "[  FAILED  ] name: N test(s)".
count() {
    sed -n "s/^\[  $1  \] \(.*: \)\{0,1\}\([0-9]*\) test(s).*/\2/p" "$output" |
        awk '{ sum += $1 } END { print sum + 0 }'
}

run_group() {
    name=${1#*/tests/}
    name=${name%test}$2
    status=0
    "$1" "$2" >"$output" 2>&1 || status=$?
    good=$(count PASSED)
    bad=$(count FAILED)
    if [ "$status" = 0 ] && [ "$good" != 0 ]; then
        echo "ok $name ($good)"
        return
    fi
    # A group that crashed or ran no test has failed, even without a counted failure.
    [ "$bad" != 0 ] || bad=1
    echo "FAILED $name ($good passed, $bad failed, status $status)" >>"$output"
    cat "$output"
}

if [ "$1" = --group ]; then
    run_group "$2" "$3"
    exit
fi
list=$(for program in $(printf '%s\n' "$@" | sort -r); do
    groups=$("$program")
    printf '%s\n' "$groups" | sed "s|^|$program |"
done)
printf '%s\n' "$list" | xargs -P "$(($(nproc) * 2))" -L 1 "$0" --group | tee "$output"
awk -F '[( ]+' '
    /^ok [^ ]+ \([0-9]+\)$/ { passed += $3 }
    /^FAILED [^ ]+ \([0-9]+ passed, [0-9]+ failed, status [0-9]+\)$/ { passed += $3; failed += $5 }
    END { print passed + 0 " passed, " failed + 0 " failed"; exit failed != 0 || passed == 0 }' "$output"

#!/bin/sh
# Runs several of the Makefile's checks in turn and sums up what they counted. Each compiles with
# all processors, unless `make -j` says otherwise.
# usage: run.sh TARGET...   The last line is "N passed, N failed".
set -eu
make=${MAKE:-make}
case " ${MAKEFLAGS-}" in
*' -j'*) ;;
*) make="$make -j$(nproc)" ;;
esac
$make --no-print-directory all

output=$(mktemp)
trap 'rm -f "$output" "$output.status"' EXIT
passed=0
failed=0
for target in "$@"; do
    echo "== $target"
    began=$(date +%s)
    # In a pipeline the status is lost, so it goes through a file.
    {
        $make --no-print-directory "$target" 2>&1 && status=0 || status=$?
        echo "$status" >"$output.status"
    } | tee "$output"
    status=$(cat "$output.status")
    # A check that counts nothing is one test.
    summary=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$output" | tail -n 1 || true)
    if [ -z "$summary" ]; then
        [ "$status" = 0 ] && summary='1 passed, 0 failed' || summary='0 passed, 1 failed'
    fi
    bad=${summary#* passed, }
    bad=${bad% failed}
    [ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
    passed=$((passed + ${summary%% *}))
    failed=$((failed + bad))
    echo "== $target: $(($(date +%s) - began)) s"
    [ "$status" = 0 ] || echo "== $target failed"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

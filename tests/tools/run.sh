#!/usr/bin/env bash
# Runs several of the Makefile's checks and sums up what they counted. Each compiles with all processors, unless
# `make -j` says otherwise.
# usage: [BESIDE="TARGET... [| TARGET...]"] run.sh TARGET...   The last line is "N passed, N failed".
# The checks of each list in BESIDE run one after another, and so do the others beside them: many tests wait, and leave
# the processors to what compiles. What the checks print is shown in the order of the arguments, and of each the seconds
# on the wall and those of processors.
set -eu
make=${MAKE:-make}
case " ${MAKEFLAGS-}" in
*' -j'*) ;;
*) make="$make -j$(nproc)" ;;
esac
$make --no-print-directory all

folder=$(mktemp -d)
groups=()
end_all() {
    for group in "${groups[@]}"; do kill -- "-$group" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap end_all EXIT
trap 'exit 1' INT TERM

IFS='|' read -ra lists <<<"${BESIDE-}"

# chosen LIST TARGET...: the arguments in that list of BESIDE, or with "main" those in none of them
chosen() {
    local list=$1 target is i
    shift
    for target in "$@"; do
        is=main
        for i in "${!lists[@]}"; do
            case " ${lists[i]} " in *" $target "*) is=$i ;; esac
        done
        [ "$is" != "$list" ] || echo "$target"
    done
}

# run_list TARGET...: of each check the output into a file, its process into TARGET.pid, its status and seconds
# into TARGET.end
run_list() {
    local target status TIMEFORMAT='%0R %0U %0S'
    set +m
    for target in "$@"; do
        $make --no-print-directory "$target" >"$folder/$target" 2>&1 &
        echo $! >"$folder/$target.pid"
        status=0
        { time wait $! || status=$?; } 2>"$folder/$target.time"
        echo "$status $(cat "$folder/$target.time")" >"$folder/$target.end"
    done
}

# Waits until the file has a line.
await() {
    until [ -s "$1" ]; do sleep 0.1; done
}

passed=0
failed=0
# show TARGET: its output while it runs, and the lines that close it
show() {
    local target=$1 status seconds user system summary bad
    echo "== $target"
    await "$folder/$target.pid"
    tail -n +1 -f -s 0.2 --pid="$(cat "$folder/$target.pid")" "$folder/$target"
    await "$folder/$target.end"
    read -r status seconds user system <"$folder/$target.end"
    # A check that counts nothing is one test.
    summary=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$folder/$target" | tail -n 1 || true)
    if [ -z "$summary" ]; then
        [ "$status" = 0 ] && summary='1 passed, 0 failed' || summary='0 passed, 1 failed'
    fi
    bad=${summary#* passed, }
    bad=${bad% failed}
    [ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
    passed=$((passed + ${summary%% *}))
    failed=$((failed + bad))
    echo "== $target: $seconds s, $((user + system)) s of processors"
    [ "$status" = 0 ] || echo "== $target failed"
}

# With job control each list of checks is a process group, which can be ended as a whole.
set -m
for list in main "${!lists[@]}"; do
    # What runs beside takes what the others leave of the processors.
    [ "$list" != 0 ] || make="nice -n 5 $make"
    # shellcheck disable=SC2046 # targets are words
    run_list $(chosen "$list" "$@") &
    groups+=($!)
done
set +m
for target in "$@"; do show "$target"; done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

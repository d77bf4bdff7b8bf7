#!/bin/sh
# Runs the linters over everything: shellcheck, and clang-tidy with the checks of .clang-tidy.
set -eu
status=0
shellcheck tests/tools/*.sh server/viewer/*.sh docker/*.sh config/package/*.sh config/package/debian/* .ci/run || status=1
find core server -path server/clients -prune -o -name '*.c' -print0 |
    xargs -0 -n 4 -P "$(nproc)" sh -c 'clang-tidy --quiet --warnings-as-errors="*" "$@" -- -std=gnu17 -I. -Icore' sh ||
    status=1
exit "$status"

#!/bin/sh
# Sums up what the tests ran of core/ and server/, from a build with --coverage: each file's share of
# lines and branches, the least covered first, and the whole.
# usage: coverage.sh BUILD_FOLDER
set -eu
folder=$1
# Three lines of gcov for each source: File 'x', Lines executed:92.31% of 13, Branches executed:…
find "$folder/core" "$folder/server" -name '*.gcda' -print0 |
    xargs -0 gcov --no-output --branch-probabilities 2>/dev/null |
    awk -F "[':% ]+" '
    /^File / { file = $2; next }
    # The last figure of all, for all files together, has no file of its own.
    /^Lines executed/ && file in lines { next }
    file !~ /^(core|server)\/.*\.c$/ { next }
    /^Lines executed/ { hit[file] = $3 * $5 / 100; lines[file] = $5 }
    /^Taken at least once/ { taken[file] = $5 * $7 / 100; branches[file] = $7 }
    END {
        for (file in lines) {
            b = branches[file] ? 100 * taken[file] / branches[file] : 100
            printf "%6.1f %% of %4d lines %6.1f %% of %4d branches  %s\n",
                100 * hit[file] / lines[file], lines[file], b, branches[file], file | "sort -n"
            all_hit += hit[file]; all_lines += lines[file]
            all_taken += taken[file]; all_branches += branches[file]
        }
        close("sort -n")
        if (all_lines) printf "%6.1f %% of %d lines, %.1f %% of %d branches in all\n",
            100 * all_hit / all_lines, all_lines, 100 * all_taken / all_branches, all_branches
    }'

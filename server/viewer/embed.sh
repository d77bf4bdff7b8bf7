#!/bin/sh
# Writes the assembler source of the table in server/base/embed.h to standard output.
# usage: embed.sh BUNDLE PACKED FILE...   (file names from the root of the project)
# The files of the folder BUNDLE are those of the page: "viewer/PATH". They are there compressed, too,
# as "PATH.gz" and "PATH.zst", where that is smaller by a tenth at least; in the folder PACKED, which is
# made.
set -eu
LC_ALL=C
export LC_ALL
bundle=$1
packed=$2
shift 2

# One "path in the binary<space>file" a line. Names with spaces are not for us.
list() {
    for file in "$@"; do
        [ -r "$file" ] || { echo "embed.sh: cannot read $file" >&2; return 1; }
        case $file in
        config/*) echo "${file#config/} $file" ;;
        *)
            echo "embed.sh: $file is not in config/" >&2
            return 1
            ;;
        esac
    done
    find "$bundle" -type f | sort | while read -r file; do
        echo "viewer/${file#"$bundle/"} $file"
    done
}

# Of each line of the list: the line, and those of what it is compressed.
pack() {
    while read -r path file; do
        echo "$path $file"
        case $path in viewer/*) ;; *) continue ;; esac
        base=$packed/$(echo "$path" | tr / -)
        gzip -9cn "$file" >"$base.gz"
        zstd -19cq "$file" >"$base.zst"
        most=$(($(wc -c <"$file") * 9 / 10))
        for end in gz zst; do
            [ "$(wc -c <"$base.$end")" -gt "$most" ] || echo "$path.$end $base.$end"
        done
    done
}

# .8byte: pointers and sizes of the 64-bit machines we build for, in their own byte order.
assemble() {
    awk '{
        printf "\t.section .rodata\n\t.balign 16\n"
        printf ".Ldata%d:\n\t.incbin \"%s\"\n.Lend%d:\n\t.byte 0\n", NR, $2, NR
        printf ".Lpath%d:\n\t.asciz \"%s\"\n", NR, $1
    }
    END {
        printf "\t.section .data.rel.ro,\"aw\"\n\t.balign 8\n"
        printf "\t.globl embedded_files\n\t.type embedded_files, %%object\nembedded_files:\n"
        for (i = 1; i <= NR; i++)
            printf "\t.8byte .Lpath%d, .Ldata%d, .Lend%d - .Ldata%d\n", i, i, i, i
        # An empty table still needs an address.
        if (NR == 0) printf "\t.8byte 0, 0, 0\n"
        printf "\t.size embedded_files, . - embedded_files\n"
        printf "\t.section .rodata\n\t.balign 8\n"
        printf "\t.globl embedded_file_count\n\t.type embedded_file_count, %%object\n"
        printf "embedded_file_count:\n\t.8byte %d\n\t.size embedded_file_count, 8\n", NR
        printf "\t.section .note.GNU-stack,\"\",%%progbits\n"
    }'
}

files=$(list "$@")
mkdir -p "$packed"
files=$(printf '%s\n' "$files" | sed '/^$/d' | pack)
printf '%s\n' "$files" | sort | assemble

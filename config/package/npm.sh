#!/bin/sh
# Writes the npm package of the JavaScript client, with terrane.wasm, into a folder.
# usage: npm.sh WASM FOLDER   from the top of the project; prints the path of the package
set -eu
: "${1:?}" "${2:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp server/clients/javascript/*.js server/clients/javascript/*.ts server/clients/javascript/package.json \
    server/clients/javascript/README.md "$work"
cp "$1" "$work/terrane.wasm"
{
    cat LICENSE
    # A part of terrane.wasm.
    printf '\n---\n\ncJSON\n\n'
    cat build/cjson/cjson/LICENSE
} >"$work/LICENSE"
mkdir -p "$2"
output=$(realpath "$2")
name=$(cd "$work" && npm pack --silent --pack-destination "$output")
echo "$output/$name"

#!/bin/sh
# Brings npm packages to what a package-lock.json says: those of SOURCE/package-lock.json into
# FOLDER/node_modules, or those of the tests into tests/node_modules.
# Does nothing, in a moment, when they are there already. Safe to run twice at once.
# usage: npm.sh [SOURCE FOLDER]
set -eu
tests=$(dirname "$0")/..
source=$(realpath "${1-$tests}")
mkdir -p "${2-$tests}/node_modules"
cd "${2-$tests}"
stamp=node_modules/.fetched-lock
exec 9>node_modules/.fetching
flock 9
if cmp -s "$source/package-lock.json" "$stamp"; then
  exit 0
fi
echo "fetching the npm packages of $source/package-lock.json" >&2
# `npm ci` empties node_modules, the file that the lock stands on included: so it works elsewhere.
fresh=$(mktemp -d ./.npm-XXXXXX)
trap 'rm -rf "$fresh"' EXIT
cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$fresh"
(cd "$fresh" && npm ci --loglevel=error)
find node_modules -mindepth 1 -maxdepth 1 ! -name .fetching -exec rm -rf {} +
find "$fresh/node_modules" -mindepth 1 -maxdepth 1 -exec mv {} node_modules/ \;
cp "$source/package-lock.json" "$stamp"

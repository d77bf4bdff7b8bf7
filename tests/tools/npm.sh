#!/bin/sh
# Brings the tests' npm packages to what tests/package-lock.json says, into tests/node_modules.
# Does nothing, in a moment, when they are there already. Safe to run twice at once.
set -eu
cd "$(dirname "$0")/.."
stamp=node_modules/.fetched-lock
mkdir -p node_modules
exec 9>node_modules/.fetching
flock 9
if cmp -s package-lock.json "$stamp"; then
  exit 0
fi
echo "fetching the tests' npm packages" >&2
# `npm ci` empties node_modules, the file that the lock stands on included: so it works elsewhere.
fresh=$(mktemp -d ./.npm-XXXXXX)
trap 'rm -rf "$fresh"' EXIT
cp package.json package-lock.json .npmrc "$fresh"
(cd "$fresh" && npm ci --silent)
find node_modules -mindepth 1 -maxdepth 1 ! -name .fetching -exec rm -rf {} +
find "$fresh/node_modules" -mindepth 1 -maxdepth 1 -exec mv {} node_modules/ \;
cp package-lock.json "$stamp"

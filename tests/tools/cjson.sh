#!/bin/sh
# Fetches the source of the cJSON that Debian packages, for builds that no packaged library is for:
# WebAssembly and other processors. apt checks its signature. Leaves build/cjson/cjson/cJSON.c and
# .h, for -Ibuild/cjson.
# Safe to run twice at once.
# usage: cjson.sh
set -eu
folder=$(pwd)/build/cjson
exec 9<"$0"
flock 9 # a second call waits for the first
[ ! -e "$folder/cjson/cJSON.h" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder/sources" "$folder/lists/partial" "$folder/archives"

# The machine's own sources, for source packages.
for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder/sources/${file##*/}"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$file" ] ||
        sed -n 's/^deb /deb-src /p' "$file" >"$folder/sources/$(basename "$file" .list).list"
done

own_apt() {
    apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/sources" \
        -o Dir::State::Lists="$folder/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User=root "$@"
}
own_apt update >/dev/null
# With dpkg-dev there, this also unpacks it and applies Debian's patches.
(cd "$folder/archives" && own_apt source cjson >/dev/null 2>&1)
mkdir "$folder/unpacked"
cp "$folder"/archives/cjson-*/cJSON.c "$folder"/archives/cjson-*/cJSON.h \
    "$folder"/archives/cjson-*/LICENSE "$folder/unpacked"
rm -rf "$folder/sources" "$folder/lists" "$folder/archives"
mv "$folder/unpacked" "$folder/cjson" # whole or not at all
echo "fetched cJSON $(sed -n 's/^#define CJSON_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$folder/cjson/cJSON.h" | paste -sd .)"

#!/bin/bash
# Builds the image with Debian's buildah, which needs no daemon, and runs it as its user without rights on
# a root that is read-only. Says so and does nothing where buildah or debootstrap is missing, or for a
# user who may not use them.
# usage: test.sh   BASE=FOLDER is a Debian root to begin with; VERSION goes into the image's labels
set -euo pipefail
cd "$(dirname "$0")/.."

missing=''
for program in buildah debootstrap curl node; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || missing="$missing $program"
done
[ "$(id -u)" = 0 ] || missing="$missing root"
if [ -n "$missing" ]; then
    echo "skipped: the image is not built here, as there is no$missing"
    exit 0
fi

work=$(mktemp -d)
mount='' server=''
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait || true
    [ -z "$mount" ] || umount "$mount" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# Everything of buildah's in the folder: its images, what it may trust, where names come from.
export BUILDAH_ISOLATION=chroot CONTAINERS_REGISTRIES_CONF=$work/registries.conf
echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$work/policy.json"
echo 'unqualified-search-registries = ["localhost"]' >"$work/registries.conf"
builder() {
    local command=$1
    shift
    case $command in bud | commit | from) set -- --signature-policy "$work/policy.json" "$@" ;; esac
    buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$command" "$@"
}

echo "a Debian for the FROM line"
from=$(sed -n 's/^FROM \(debian:[^ ]*\) AS build$/\1/p' docker/Dockerfile)
if [ -z "${BASE-}" ]; then
    BASE=$work/base
    release=${from#debian:}
    PATH=$PATH:/usr/sbin debootstrap --variant=minbase "${release%-slim}" "$BASE" >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log"; exit 1; }
fi
container=$(builder from scratch)
builder add -q "$container" "$BASE" / >/dev/null
builder commit -q --rm "$container" "$from" >/dev/null

echo "the image"
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
SECONDS=0
builder bud --pull-never --format docker --secret id=ca,src=/etc/ssl/certs/ca-certificates.crt \
    --build-arg VERSION="${VERSION-}" --build-arg REVISION="$revision" -t terrane -f docker/Dockerfile . >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log"; exit 1; }
echo "built in $SECONDS s, $(builder images --format '{{.Size}}' localhost/terrane)"

fail() {
    echo "FAILED: $*"
    exit 1
}
# What the image says of itself.
builder inspect --type image localhost/terrane >"$work/image.json"
# shellcheck disable=SC2016 # it is JavaScript
says() {
    node -e 'const image = JSON.parse(require("fs").readFileSync(process.argv[1])).Docker.config;
        console.log(JSON.stringify(eval(`image.${process.argv[2]}`)))' "$work/image.json" "$1"
}
expect() {
    [ "$(says "$1")" = "$2" ] || fail "$1 is $(says "$1"), not $2"
}
expect User '"10001:10001"'
expect Entrypoint '["/usr/local/bin/terrane"]'
expect Cmd '["serve"]'
expect 'Healthcheck.Test' '["CMD","/usr/local/bin/terrane","health"]'
expect 'Labels["org.opencontainers.image.licenses"]' '"MIT"'
expect 'Labels["org.opencontainers.image.version"]' "\"${VERSION-}\""
expect 'Labels["org.opencontainers.image.revision"]' "\"$revision\""
expect 'ExposedPorts["8080/tcp"]' '{}'

# It runs as its user, on its own files alone, none of which can be written.
container=$(builder from --pull-never localhost/terrane)
files=$(builder mount "$container")
[ -z "$(find "$files" -xdev -perm /6000)" ] || fail "a file of the image gives rights to who runs it"
[ -s "$files/usr/local/share/terrane/terrane.wasm" ] || fail "there is no terrane.wasm"
[ -z "$(find "$files/bin" "$files/usr/bin" -type f 2>/dev/null)" ] || fail "there are programs besides terrane"
# As a container's engine puts it there.
echo '127.0.0.1 localhost' >"$files/etc/hosts"
mkdir "$work/root"
mount --bind "$files" "$work/root"
mount=$work/root
mount -o remount,bind,ro "$work/root"
inside=(chroot --userspec=10001:10001 "$work/root" /usr/local/bin/terrane)
# In a chroot that shares this machine's network the port must be a free one.
serve() {
    : >"$work/first"
    "${inside[@]}" serve --listen 127.0.0.1:0 >"$work/first" 2>"$work/said" &
    server=$!
    until url=$(sed -n 's/^listening on //p' "$work/first") && [ -n "$url" ]; do
        kill -0 "$server" 2>/dev/null || fail "it did not start: $(cat "$work/said")"
        sleep 0.001
    done
}
serve
# chroot replaced itself with the program, so this is its process.
[ "$(awk '/^Uid:/ { print $2, $3 }' "/proc/$server/status")" = '10001 10001' ] || fail "it runs as another user"
if "${inside[@]}" render --tile 3/4/2 -o /var/cache/terrane/x.png 2>/dev/null; then
    fail "a file could be written"
fi
"${inside[@]}" health "$url" || fail "its health check says no"
"${inside[@]}" health "http://localhost:${url##*:}" || fail "it cannot look names up"
"${inside[@]}" check --golden || fail "its numbers are wrong"
curl -fsS "$url/tiles/3/4/2.png" -o "$work/tile.png" || fail "no tile"
[ "$(head -c 8 "$work/tile.png" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "the tile is no PNG"
kill "$server"
wait "$server" || fail "it ended with status $?"
server=''
if "${inside[@]}" health "$url" 2>/dev/null; then
    fail "the health check says yes of a server that has ended"
fi
# A start as a cluster sees it: from nothing to the first answer.
start=$(date +%s%N)
serve
"${inside[@]}" health "$url" || fail "it listens, and its health check says no"
echo "ready $((($(date +%s%N) - start) / 1000000)) ms after its start"
echo "1 passed, 0 failed"

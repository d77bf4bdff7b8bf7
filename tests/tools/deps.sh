#!/bin/sh
# Sees to it that what a build, the tests or the linters need is installed.
# usage: deps.sh build|test|lint|wasm|cross|godot|languages|deb|bench|fresh
# Silent when all is there. Else it installs what is missing with apt-get if it may (root or sudo
# without a password), or prints the line to run and fails.
set -eu
# A program is there before its package is configured, so a second call waits for the first.
exec 9<"$0"
flock 9

# Programs as command:package, since node or a compiler may come from elsewhere; then libraries.
build_programs='gcc:gcc node:nodejs npm:npm gzip:gzip zstd:zstd'
build_libraries='libc6-dev libmicrohttpd-dev libgnutls28-dev libpng-dev libtiff-dev libcjson-dev libisal-dev
libdeflate-dev libzstd-dev libwebp-dev libsqlite3-dev zlib1g-dev ca-certificates'
test_programs='clang:clang clang-format:clang-format chromium:chromium
chromium-headless-shell:chromium-headless-shell gdalinfo:gdal-bin bsdtar:libarchive-tools
sqlite3:sqlite3 curl:curl rclone:rclone
memcached:memcached pkg-config:pkgconf lua5.4:lua5.4 luajit:luajit
mandoc:mandoc dpkg-shlibdeps:dpkg-dev'
# nginx is a library here as its program is not on every user's path.
test_libraries='libcmocka-dev libcurl4-openssl-dev lua-socket nginx python3-gdal python3-numpy python3-cffi
python3-setuptools python3-wheel python3-pip'
# Newer releases have clang's sanitizers in a package of their own, which clang does not depend on.
if [ "${1-}" = test ] && command -v clang >/dev/null 2>&1; then
    case $(clang -print-file-name="libclang_rt.fuzzer-$(uname -m).a";
        clang -print-file-name=libclang_rt.fuzzer.a) in
    */*) ;;
    *) test_libraries="$test_libraries libclang-rt-$(clang -dumpversion | cut -d . -f 1)-dev" ;;
    esac
fi
# clang's WebAssembly: its C library, linker and what the compiler calls.
wasm_programs='clang:clang wasm-ld:lld dpkg-source:dpkg-dev'
wasm_libraries=wasi-libc
cross_programs='clang:clang aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu
s390x-linux-gnu-gcc:gcc-s390x-linux-gnu i686-linux-gnu-gcc:gcc-i686-linux-gnu
qemu-aarch64-static:qemu-user-static dpkg-source:dpkg-dev'
cross_libraries='libc6-dev-arm64-cross libc6-dev-s390x-cross libc6-dev-i386-cross locales-all'
lint_programs='clang-tidy:clang-tidy shellcheck:shellcheck'

if [ "${1-}" = wasm ] && command -v clang >/dev/null 2>&1; then
    wasm_libraries="$wasm_libraries libclang-rt-$(clang -dumpversion | cut -d . -f 1)-dev-wasm32"
fi

case ${1-} in
build) programs='' libraries='' ;;
test) programs=$test_programs libraries=$test_libraries ;;
wasm) programs=$wasm_programs libraries=$wasm_libraries ;;
cross) programs=$cross_programs libraries=$cross_libraries ;;
godot) programs=godot3-server:godot3-server libraries='' ;;
languages) programs='rustc:rustc mcs:mono-mcs mono:mono-runtime' libraries='' ;;
lint) programs=$lint_programs libraries='' ;;
deb) programs=dpkg-shlibdeps:dpkg-dev libraries='' ;;
bench) programs=wrk:wrk libraries=nginx ;;
fresh) programs=mmdebstrap:mmdebstrap libraries='' ;;
*)
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
    ;;
esac
programs="$build_programs $programs"
libraries="$build_libraries $libraries"

missing=
for pair in $programs; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
if command -v dpkg-query >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # a list of words
    installed=$(dpkg-query -W -f '[${db:Status-Status} ${Package}]\n' $libraries 2>/dev/null || true)
    for library in $libraries; do
        case "$installed" in
        *"[installed $library]"*) ;;
        *) missing="$missing $library" ;;
        esac
    done
fi
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "missing, and there is no apt-get to install it with:$missing" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root='sudo -n'
else
    echo "missing:$missing; run: sudo apt-get update && sudo apt-get install$missing" >&2
    exit 1
fi
echo "installing with apt-get:$missing" >&2
# A list that is a little out of date may still do, so only the installation decides.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null 9<&- || true
# shellcheck disable=SC2086 # lists of words
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 $missing >/dev/null 9<&-
# Which package has clang's sanitizers is known only now that clang is there.
case " $missing " in
*' clang '*) exec "$0" "$1" ;;
esac

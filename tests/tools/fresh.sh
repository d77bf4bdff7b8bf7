#!/bin/bash
# Makes targets on new machines: for each a Debian that has git, make and nothing else is unpacked, with a clone of
# the last commit. So a package that no list of deps.sh has, and a rule that does not wait for its packages, fail here.
# usage: fresh.sh [TARGET...]   without a target all of TARGETS; a target may have settings: 'KIND=asan all'
# "run" and "test", the commands of README.md, are made by root with -j2. All others are made by an ordinary user who
# may use sudo, with -j8, which begins every rule as early as it ever may, and without optimisation.
# It needs root, for namespaces: the mounts and processes of a try end with it. Only the network is this machine's, and
# from here come apt's settings, the certificates to trust and npm's registry. Everything is in build/fresh: the
# Debian as *.tar, downloaded packages, the output of each try as TARGET.log.
# The last line is "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$PWD/build/fresh
root=$work/root
tests=build/debug/tests

# Targets that build something or are soon done; of those that run for long, the programs that they need.
# "sets all" are two makes at once.
TARGETS=(run test all build-identity schema compile_commands.json dist wasm npm 'install DESTDIR=build/installed' deb
    "$tests/unit/core/base/test" golden library webassembly "$tests/clients/c/walk" godot determinism contact-sheet
    arrows format-check 'fuzz FUZZ_SECONDS=1' faults
    "$tests/bench/bench $tests/bench/memcached_faults $tests/bench/open_loop"
    'sets all' 'deps-wasm deps-cross deps-godot deps-lint deps-bench')

# The first process of a new machine. It mounts what programs expect over the Debian in $root, lets go of this
# machine's files, and runs a command in the clone.
boot() {
    mount --bind "$root" "$root"
    mount --bind "$work/packages" "$root/var/cache/apt/archives"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs -o mode=755 dev "$root/dev"
    for device in null zero full random urandom tty; do
        touch "$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device"
    done
    mkdir "$root/dev/pts" "$root/dev/shm" "$root/host"
    mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
    mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
    ln -s pts/ptmx "$root/dev/ptmx"
    ln -s /proc/self/fd "$root/dev/fd"
    ln -s fd/0 "$root/dev/stdin"
    ln -s fd/1 "$root/dev/stdout"
    ln -s fd/2 "$root/dev/stderr"
    cd "$root"
    # Not chroot alone: who is in one may not have user namespaces, which tests of exports use.
    pivot_root . host
    # A shell, as it also waits for processes that others leave behind.
    # shellcheck disable=SC2016 # for the shell inside
    exec chroot . /bin/sh -c 'umount -l /host && rmdir /host && cd /srv/terrane && "$@"; exit' sh "$@"
}
if [ "${1-}" = --boot ]; then
    shift
    boot "$@"
fi

# `make run` until it listens and has served a tile; then its server is ended. Each line begins with its second.
serve_tile() {
    local said=/tmp/said make line tile=none
    mkfifo "$said"
    make -j2 run >"$said" 2>&1 &
    make=$!
    while read -r line; do
        printf '%4d %s\n' "$SECONDS" "$line"
        case $line in 'listening on '*)
            node -e 'fetch(process.argv[1]).then((answer) => answer.arrayBuffer()).then((bytes) => {
                process.exit(Buffer.from(bytes).readUInt32BE(0) === 0x89504e47 ? 0 : 1); });' \
                "${line#listening on }/tiles/8/128/127.png" && tile=served
            kill "$(tr -d ' ' <"/proc/$make/task/$make/children")"
            ;;
        esac
    done <"$said"
    wait "$make" && [ "$tile" = served ]
}

# The Debian $work/NAME.tar: make_debian NAME PACKAGES
make_debian() {
    [ ! -e "$work/$1.tar" ] || return 0
    echo "making a Debian with $2"
    # shellcheck disable=SC2016 # for the shell of the hooks
    mmdebstrap --quiet --variant=minbase --include="$2" --format=tar \
        --setup-hook='rm -f "$1/etc/apt/sources.list" && cp -R /etc/apt/. "$1/etc/apt"' \
        --customize-hook='chroot "$1" useradd --create-home user' \
        --customize-hook='[ ! -e "$1/etc/sudoers.d" ] || echo "user ALL=(ALL) NOPASSWD: ALL" >"$1/etc/sudoers.d/user"' \
        "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$work/$1.new"
    mv "$work/$1.new" "$work/$1.tar"
}

# Unpacks NAME.tar, with what the network of this machine needs, and a clone that belongs to USER: unpack NAME USER
unpack() {
    rm -rf --one-file-system "$root" && mkdir -p "$root" &&
        tar -xf "$work/$1.tar" -C "$root" &&
        cp -L /etc/resolv.conf /etc/hosts "$root/etc" &&
        cp -L "$certificates" "$root/srv/certificates.crt" &&
        echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fast" &&
        git clone -q --no-hardlinks . "$root/srv/terrane" &&
        chroot "$root" chown -R "$2:" /srv/terrane
}

# Runs a command on the machine that was unpacked: on_machine VARIABLE=VALUE... COMMAND...
machine=''
on_machine() {
    # It also ends when this script is killed.
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child \
        tests/tools/fresh.sh --boot env -i "${environment[@]}" "$@" </dev/null >"$log" 2>&1 8>&- &
    machine=$!
    wait "$machine"
}

# Makes a target on a new machine, as the introduction says.
try() {
    local path=/usr/local/bin:/usr/bin:/bin
    local words
    read -r -a words <<<"$1"
    case $1 in
    run)
        unpack root root && on_machine "PATH=$path:/usr/sbin:/sbin" HOME=/root TERRANE_LISTEN=127.0.0.1:0 \
            bash -c "$(declare -f serve_tile); serve_tile"
        ;;
    test)
        unpack root root && on_machine "PATH=$path:/usr/sbin:/sbin" HOME=/root make -j2 test &&
            tail -n 1 "$log" | grep -Eq '^[1-9][0-9]* passed, 0 failed$'
        ;;
    *)
        unpack user user && on_machine "PATH=$path" HOME=/home/user KIND=debug TERRANE_TEST_SECONDS=200 \
            setpriv --reuid user --regid user --init-groups make -j8 "${words[@]}"
        ;;
    esac
}

finish() {
    [ -z "$machine" ] || kill -KILL "$machine" 2>/dev/null || true
    wait
    rm -rf --one-file-system "$root"
}

[ "$(id -u)" = 0 ] || { echo "fresh.sh: only root may make new machines" >&2; exit 1; }
mkdir -p "$work/packages"
exec 8>"$work/lock"
flock --nonblock 8 || { echo "fresh.sh: another one works in $work" >&2; exit 1; }
trap finish EXIT
trap 'exit 1' INT TERM HUP

certificates=/etc/ssl/certs/ca-certificates.crt
environment=(NODE_EXTRA_CA_CERTS=/srv/certificates.crt)
for name in registry proxy https-proxy noproxy; do
    value=$(npm config get "$name")
    case $value in '' | null | undefined) ;; *) environment+=("npm_config_${name//-/_}=$value") ;; esac
done
make_debian root git,make
make_debian user git,make,sudo

passed=0 failed=0
[ $# -gt 0 ] || set -- "${TARGETS[@]}"
for target; do
    log=$work/${target//[^a-zA-Z0-9._=-]/-}.log
    SECONDS=0
    if try "$target"; then result=passed; else result=FAILED; fi
    machine=''
    printf '%-70s %s %5d s\n' "$target" "$result" "$SECONDS"
    if [ "$result" = passed ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        tail -n 30 "$log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

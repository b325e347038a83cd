# Shared by the scripts in tools/: messages, Python, Debian packages.

say() { printf '\n==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# as_root COMMAND...: run it as root, or say that it has to be.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo -n "$@"
    else die "this needs root: $*"; fi
}

# debian_install PACKAGE...: install Debian packages that are missing.
debian_install() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
            grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    command -v apt-get >/dev/null ||
        die "please install: ${missing[*]} (no apt-get on this machine)"
    say "installing Debian packages: ${missing[*]}"
    as_root apt-get -qq update
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends "${missing[@]}" \
        >/dev/null
}

# debian_program PACKAGE PATH DIR: have in DIR the one program that is at PATH
# in a Debian package, without the services that come with it.
debian_program() {
    local package=$1 path=$2 dir=$3 unpacked
    [ ! -x "$dir/${path##*/}" ] || return 0
    command -v apt-get >/dev/null ||
        die "please install ${path##*/} (no apt-get on this machine)"
    say "fetching ${path##*/} from the Debian package $package"
    unpacked=$(mktemp -d)
    as_root apt-get -qq update
    (cd "$unpacked" && apt-get -qq download "$package" 2>/dev/null &&
        dpkg-deb -x ./*.deb .) || die "the package $package cannot be had"
    install "$unpacked$path" "$dir"
    rm -r "$unpacked"
}

# find_python: print a Python of at least 3.11 that can make environments.
find_python() {
    local python
    for python in ${HEAT_PYTHON:-} python3 python3.13 python3.12 python3.11
    do
        command -v "$python" >/dev/null || continue
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
            continue
        if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
            debian_install python3-venv >&2
            "$python" -c 'import venv, ensurepip' 2>/dev/null || continue
        fi
        echo "$python"
        return 0
    done
    return 1
}

# venv_stamp STAMP-FILE...: print what identifies their contents.
venv_stamp() { cat "$@" | sha256sum | cut -c1-16; }

# is_current_venv DIR STAMP-FILE...: whether make_venv would do nothing.
is_current_venv() {
    local dir=$1
    shift
    [ "$(cat "$dir/.stamp" 2>/dev/null)" = "$(venv_stamp "$@")" ]
}

# make_venv DIR STAMP-FILE...: a virtual environment with what the
# requirement files name; kept as long as these files do not change.
make_venv() {
    local dir=$1 python stamp
    is_current_venv "$@" && return 0
    shift
    stamp=$(venv_stamp "$@")
    python=$(find_python) || die "Python 3.11 or later is needed (set \
HEAT_PYTHON to its path); on Debian 12: apt-get install python3 python3-venv"
    say "making a virtual environment with $("$python" --version): $dir"
    [ -x "$dir/bin/python" ] || "$python" -m venv "$dir"
    local requirements=() file
    for file in "$@"; do
        case $file in
            *constraints.txt) requirements+=(-c "$file") ;;
            *) requirements+=(-r "$file") ;;
        esac
    done
    echo "downloading and installing packages; half a minute or so"
    "$dir/bin/python" -m pip install ${HEAT_PIP_FLAGS--q} \
        --disable-pip-version-check "${requirements[@]}"
    echo "$stamp" > "$dir/.stamp"
}

# remove_former_name VENV: uninstall this project under the name "heat", which
# it has had before. Both names have the same files, so it has to go first.
remove_former_name() {
    "$1/bin/python" -m pip uninstall -q -y --disable-pip-version-check \
        heat 2>/dev/null
    # What a checkout keeps beside the source counts as installed there.
    rm -rf "$here/heat.egg-info"
}

# install_checkout VENV: install the checkout so that changes take effect at
# once. What pip reads from it decides whether that was done before.
install_checkout() {
    local venv=$1 stamp
    stamp="$here $(venv_stamp "$here/setup.cfg" "$here/setup.py" \
        "$here/heat/version.py" "$venv/.stamp")"
    [ "$(cat "$venv/.checkout" 2>/dev/null)" = "$stamp" ] &&
        "$venv/bin/python" -c 'from importlib import metadata
metadata.distribution("openstack-heat")' 2>/dev/null && return 0
    remove_former_name "$venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check \
        --no-deps --no-build-isolation -e "$here" 2>/dev/null ||
        "$venv/bin/python" -m pip install -q --disable-pip-version-check \
            --no-deps -e "$here"
    echo "$stamp" > "$venv/.checkout"
}

# use_test_venv: make the environment of the tests, with the checkout in it,
# and put it first on the path.
use_test_venv() {
    local venv=${HEAT_TEST_VENV:-$here/.test-venv}
    make_venv "$venv" "$here/requirements.txt" \
        "$here/test-requirements.txt" "$here/doc/requirements.txt" \
        "$here/constraints.txt"
    install_checkout "$venv"
    # Bytecode is kept: the suites start many processes, and pytest keeps the
    # tests that it has rewritten there, too.
    export PATH=$venv/bin:$PATH
}

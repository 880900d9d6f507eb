# system.sh - a minimal Debian in a directory; read by run and machine, which are run as root.

# minimal SUITE DIRECTORY PACKAGES: with packages from where this system's come from, for its own
# suite; else from Debian's usual place.
minimal() {
    here=$(. /etc/os-release && echo "$VERSION_CODENAME")
    sources=
    if [ "$here" = "$1" ]; then
        for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
            [ ! -s "$list" ] || ! grep -q '^\(deb \|URIs:\)' "$list" || sources="$sources $list"
        done
    fi
    mmdebstrap --variant=minbase ${3:+"--include=$3"} "$1" "$2" $sources || return 1
    rm -f "$2/etc/resolv.conf"
    cp /etc/resolv.conf "$2/etc/resolv.conf"
}

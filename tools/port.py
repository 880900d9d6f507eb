# port.py - which sources of the library a system without POSIX has, for tests/port and make-wasm.
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ["base", "codec", "remote", "core", "formats", "gpu", "world", "ops", "export", "view"]
LEFT_OUT = [
    r"base/elf\.c",                                   # for symbols/, which loads libdw
    r"formats/(\w+)/\1_record(_\w+)?\.c",             # librastrum-record: Linux
    r"formats/(\w+)/\1_finish\.c",                    # what the hooks recorded, by symbols/
    r"remote/(answer|aws|file_list|remote|remote_folder)\.c", # needs libcurl
    r"gpu/gles_(child|filter|process)\.c",            # OpenGL in a confined process: Linux
    r"base/\w+_posix\.c",
    r"gpu/gpu_none\.c|world/worlds_none\.c",         # of a build that reads only
]
# Files that a single system has, and those that it has not: a module has no other library.
ONLY = {"wasm": r"(base|codec)/\w+_none\.c", "windows": r"base/\w+_windows\.c"}
# The program: its folders, and what of them only Linux has, or another library.
PROGRAM = ["cli", "sql", "view_http", "symbols", "pens", "twice"]
PROGRAM_LEFT_OUT = [
    r"cli/(bus_error|output_guard|host_posix|line_editor|sql_each|cmd_(record|reduce|twice|mcp)|"
    r"verbs_none|record_\w+|reduce_trials|run_calls|twice_report)\.c",
    r"sql/(sqlite_extension|sqlite_records)\.c",
    r"view_http/(http|microhttpd_calls)\.c",
    r"symbols/(debug|symbols)\.c",
    r"pens/(?!pens_none).*",
    r"twice/(?!condition_list).*",                    # names to complete
]
NOT = {"wasm": r"codec/(compress|crc32|gzip|\w+_library)\.c", "windows": r"(?!)"}


def is_windows_only(name):
    """windows.h names what is banned, so that it comes first where it is used."""
    return re.search(r"(base/os|cli/host)_(\w+_)?windows\.c$", name)


def sources(target, with_program=False):
    """Those of the library that this target has, and of the program; src/ is left away."""
    found = []
    for folder in FOLDERS + (PROGRAM if with_program else []):
        for where, _, names in os.walk(os.path.join(ROOT, "src", folder)):
            found += [os.path.relpath(os.path.join(where, name), os.path.join(ROOT, "src"))
                      for name in names if name.endswith(".c")]
    others = [pattern for name, pattern in ONLY.items() if name != target] + [NOT[target]]
    return sorted(name for name in found
                  if not any(re.fullmatch(pattern, name)
                             for pattern in LEFT_OUT + PROGRAM_LEFT_OUT + others))


def number_at(data, at):
    """An unsigned LEB128 number of a module, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def imports_of(module):
    """What a WebAssembly module imports: (module, name, kind); kind 0 is a function."""
    with open(module, "rb") as file:
        data = file.read()
    at, found = 8, []
    while at < len(data):
        kind = data[at]
        size, at = number_at(data, at + 1)
        end = at + size
        if kind == 2:
            count, at = number_at(data, at)
            for _ in range(count):
                words = []
                for _ in range(2):
                    size, at = number_at(data, at)
                    words.append(data[at:at + size].decode())
                    at += size
                kind_of, at = data[at], at + 1
                found.append((*words, kind_of))
                if kind_of == 2:           # a memory: flags, least, and most if there is one
                    flags = data[at]
                    at += 1
                    for _ in range(1 + (flags & 1)):
                        _, at = number_at(data, at)
                else:
                    _, at = number_at(data, at)
        at = end
    return found

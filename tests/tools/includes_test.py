"""includes_test.py - tools/check-includes sees every breach of the dependency law."""
import os
import sys

import sandbox

CHECK = os.path.join(sandbox.ROOT, "tools", "check-includes")
GOOD = {
    "src/formats/list.h": "FORMAT(murk)\nFORMAT(atf)\n",
    "include/rastrum/rastrum.h": "#include <stdint.h>\n",
    "include/rastrum/murk.h": "#include <rastrum/rastrum.h>\n",
    "include/rastrum/atf.h": "#include <rastrum/rastrum.h>\n",
    "src/base/in.h": "#include <rastrum/rastrum.h>\n",
    "src/codec/crc32.h": '#include "base/in.h"\n',
    "src/core/format.h": '#include "codec/crc32.h"\n',
    "src/core/registry.c": '#include "core/format.h"\n#include "formats/list.h"\n',
    "src/ops/info/info.h": '#include "core/format.h"\n',
    "src/ops/du/usage.h": '#include "core/format.h"\n',
    "src/formats/murk/murk_wire.h": '#include "base/in.h"\n#include <rastrum/murk.h>\n',
    "src/formats/murk/murk_read.h": '#include "formats/murk/murk_wire.h"\n',
    "src/formats/atf/atf_wire.h": '#include "base/in.h"\n',
    "src/cli/options.h": "#include <rastrum/rastrum.h>\n#include <rastrum/atf.h>\n",
}


def complaints(name, text):
    """What is said when the good tree gets one more file."""
    with sandbox.Sandbox({**GOOD, name: text}) as box:
        status, said = sandbox.call([CHECK, "--root", box.path])
        assert status == (0 if " 0 failed" in said else 1), said
        return said


def refuses(name, text, why):
    said = complaints(name, text)
    assert "%s:1: " % name in said and why in said, said


def allows(name, text):
    said = complaints(name, text)
    assert said.splitlines()[-1].endswith(" 0 failed"), said


def test_the_good_tree_passes():
    allows("src/cli/main.c", '#include "cli/options.h"\nint main(void) { printf("x"); exit(1); }\n')


def test_layers_point_downwards_only():
    refuses("src/base/a.c", '#include "codec/crc32.h"\n', "base may not include codec")
    refuses("src/codec/a.c", '#include "core/format.h"\n', "codec may not include core")
    refuses("src/core/a.c", '#include "ops/info/info.h"\n', "core may not include ops")
    refuses("src/core/a.c", '#include "formats/list.h"\n', "core may not include formats")
    refuses("src/formats/murk/a.c", '#include "ops/info/info.h"\n', "formats may not include ops")
    allows("src/formats/murk/a.c", '#include "ops/du/usage.h"\n')


def test_a_format_never_includes_another():
    refuses("src/formats/murk/a.c", '#include "formats/atf/atf_wire.h"\n', "another format")
    refuses("src/formats/murk/a.c", "#include <rastrum/atf.h>\n", "its own native header")


def test_the_command_line_uses_public_headers_only():
    refuses("src/cli/a.c", '#include "base/in.h"\n', "public headers only")
    allows("src/cli/a.c", "#include <rastrum/murk.h>\n")


def test_operations_never_name_a_format():
    refuses("src/ops/a.c", "#include <rastrum/atf.h>\n", "names the format atf")
    refuses("src/export/a.c", 'const char *x = "murk";\n', "names the format murk")
    refuses("src/ops/a.c", "int ras_atf_open(void);\n", "names the format atf")
    refuses("src/core/a.c", "int RAS_MURK;\n", "names the format")
    allows("src/ops/a.c", "/* Murk and ATF may be named in a comment. */\nint platform;\n")


def test_libraries_stay_in_their_place():
    refuses("src/core/a.c", "#include <zstd.h>\n", "<zstd.h>")
    refuses("src/codec/gzip.c", "#include <zstd.h>\n", "<zstd.h>")
    refuses("src/core/a.c", "#include <zlib.h>\n", "<zlib.h>")
    refuses("src/formats/murk/a.c", "#include <libdeflate.h>\n", "<libdeflate.h>")
    refuses("src/ops/a.c", "#include <sqlite3.h>\n", "<sqlite3.h>")
    refuses("src/core/a.c", "#include <sys/socket.h>\n", "<sys/socket.h>")
    refuses("src/codec/a.c", "#include <blake2.h>\n", "<blake2.h>")
    allows("src/codec/zstd_library.c", "#include <zstd.h>\n")
    allows("src/codec/gzip.c", "#include <zlib.h>\n#include <libdeflate.h>\n")


def test_the_system_is_asked_in_one_place():
    for name in ("unistd.h", "fcntl.h", "sys/stat.h", "sys/mman.h", "dirent.h", "pthread.h",
                 "windows.h"):
        refuses("src/core/a.c", "#include <%s>\n" % name, "<%s>" % name)
        refuses("src/base/file.c", "#include <%s>\n" % name, "<%s>" % name)
        refuses("src/formats/murk/murk_recorded.c", "#include <%s>\n" % name, "<%s>" % name)
    allows("src/base/os_posix.c", "#include <unistd.h>\n#include <sys/stat.h>\n")
    allows("src/base/os_windows.c", "#include <windows.h>\n")
    allows("src/base/thread.h", "#include <pthread.h>\n")
    allows("src/formats/murk/murk_record.c", "#include <unistd.h>\n")
    allows("src/formats/murk/murk_record_names.c", "#include <unistd.h>\n")


def test_the_library_does_not_print_or_end_the_program():
    refuses("src/core/a.c", 'void f(void) { printf("x"); }\n', "printing")
    refuses("src/ops/a.c", 'void f(void) { fputs("x", stderr); }\n', "printing")
    refuses("src/base/a.c", "void f(void) { abort(); }\n", "ends nothing")
    refuses("src/export/a.c", "void f(void) { exit(1); }\n", "ends nothing")
    refuses("src/core/a.c", "void f(void) { signal(1, 0); }\n", "ends nothing")
    allows("src/core/a.c", 'int f(char *b) { return snprintf(b, 4, "x"); } /* printf( */\n')
    allows("src/core/a.c", 'int f(int, ...) __attribute__((format(printf, 1, 2)));\n')
    allows("src/export/a.c", 'void f(void) { fputs("x", stdout); }\n')


def test_the_writing_half_knows_the_wire_only():
    refuses("src/formats/murk/murk_write.c", '#include "formats/murk/murk_read.h"\n', "wire layer")
    allows("src/formats/murk/murk_write.c", '#include "formats/murk/murk_wire.h"\n')
    allows("src/formats/murk/murk_check.c", '#include "formats/murk/murk_read.h"\n')


def test_paths_are_whole_and_lead_somewhere():
    refuses("src/core/a.c", '#include "format.h"\n', "folder/file.h")
    refuses("src/core/a.c", '#include "core/absent.h"\n', "there is no src/core/absent.h")
    refuses("src/core/a.c", "#include <rastrum/absent.h>\n", "there is no include/rastrum/absent.h")
    refuses("src/misc/a.c", "int a;\n", "no folder src/misc")


def test_public_headers_stand_alone():
    refuses("include/rastrum/cdt.h", '#include "base/in.h"\n', "public header")
    refuses("include/rastrum/cdt.h", "#include <rastrum/atf.h>\n", "public header")


if __name__ == "__main__":
    sandbox.main(sys.modules["__main__"])

"""The C library as ctypes sees it: structures, prototypes, and where the library is.

Nothing here is public. Sizes are checked against the library's version when it is loaded; the test
layout.py compares every structure with what a C program prints.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import glob
import os
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, byref, c_bool, c_char, c_char_p, c_double,
                    c_float, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint8, c_uint16,
                    c_uint32, c_uint64, c_void_p, sizeof)
from typing import Any, Callable, List, Optional, Sequence

VERSION = (1, 0)
NONE = 2**64 - 1
OK, END, WAIT = 0, 1, 2
ENAME, ENOTHING, ECANCELED, EUNSUPPORTED = -11, -10, -12, -7

NULL, BOOL, UINT, INT, F32, F64, STR, BLOB, LIST, MAP = range(10)
T_BOOL, T_U8, T_U16, T_U32, T_U64, T_I64, T_F32, T_F64, T_TEXT, T_BLOB, T_JSON, T_LIST = range(12)
NULLABLE, HEX, HIDDEN = 1, 2, 64
HAS_TIME, HAS_TICK = 1, 2
AXES = {None: 0, "seq": 1, "time": 2, "tick": 3}


class Error(Structure):
    _fields_ = [("status", c_int), ("os_errno", c_int), ("offset", c_uint64), ("about", c_int),
                ("text", c_char * 240), ("reserved", c_uint64 * 2)]


class Ending(Structure):
    _fields_ = [("kind", c_int), ("part", c_uint32), ("offset", c_uint64), ("size", c_uint64),
                ("why", c_char_p)]


class Bytes(Structure):
    _fields_ = [("at", c_void_p), ("len", c_size_t)]


class _Cell(Union):
    _fields_ = [("u", c_uint64), ("i", c_int64), ("f64", c_double), ("f32", c_float),
                ("at", c_void_p)]


class Value(Structure):
    _anonymous_ = ("cell",)
    _fields_ = [("kind", c_uint8), ("bits", c_uint8), ("field", c_uint16), ("count", c_uint32),
                ("cell", _Cell)]


class Field(Structure):
    pass


Field._fields_ = [("name", c_char_p), ("kind", c_uint8), ("bits", c_uint8), ("flags", c_uint16),
                  ("word", c_void_p), ("inner", POINTER(Field)), ("inner_count", c_uint16),
                  ("item", c_uint8), ("item_bits", c_uint8), ("unit", c_uint8)]


class Schema(Structure):
    _fields_ = [("name", c_char_p), ("fields", POINTER(Field)), ("field_count", c_uint16),
                ("flags", c_uint16)]


class Record(Structure):
    _fields_ = [("seq", c_uint64), ("time_ns", c_uint64), ("tick", c_uint64), ("parent", c_uint64),
                ("offset", c_uint64), ("raw", c_void_p), ("raw_len", c_uint32), ("part", c_uint32),
                ("flags", c_uint16), ("schema", c_uint16), ("stream", c_uint32)]


class FormatAbout(Structure):
    _fields_ = [("name", c_char_p), ("title", c_char_p), ("label", c_char_p),
                ("dialects", POINTER(c_char_p)), ("extensions", POINTER(c_char_p)),
                ("axis", c_int), ("axes", c_uint), ("can", c_uint), ("defines_types", c_bool),
                ("options", c_void_p)]


class Limits(Structure):
    _fields_ = [(name, c_uint64) for name in ("record_bytes", "chunk_bytes", "inflated_bytes",
                                             "inflate_step", "pool_bytes")] + \
               [(name, c_uint32) for name in ("depth", "schemas", "parts", "findings")] + \
               [("reserved", c_uint64 * 4)]


class Options(Structure):
    _fields_ = [("struct_size", c_size_t), ("format", c_char_p), ("dialect", c_char_p),
                ("live", c_bool), ("limits", Limits), ("debug", c_void_p),
                ("progress", c_void_p), ("user", c_void_p)]


class Pick(Structure):
    _fields_ = [("type", c_char_p), ("fields", POINTER(c_char_p)), ("field_count", c_size_t),
                ("schema", c_uint32), ("reserved", c_uint64 * 2)]


class Scan(Structure):
    _fields_ = [("struct_size", c_size_t), ("picks", POINTER(Pick)), ("pick_count", c_size_t),
                ("axis", c_int), ("from_", c_uint64), ("to", c_uint64), ("frames_only", c_bool),
                ("headers_only", c_bool), ("merged", c_bool), ("follow", c_bool),
                ("strict", c_bool), ("by_index", c_bool), ("choices", c_void_p),
                ("choice_count", c_size_t), ("streams", POINTER(c_uint32)),
                ("stream_count", c_size_t)]


PROGRESS = CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64)


class VerifyOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("strict", c_bool), ("deep", c_bool),
                ("progress", c_void_p), ("user", c_void_p)]


class StatsOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("axis", c_int), ("from_", c_uint64), ("to", c_uint64),
                ("tables", POINTER(c_char_p)), ("table_count", c_size_t), ("sort", c_char_p),
                ("limit", c_uint64), ("no_rows", c_bool), ("progress", c_void_p),
                ("user", c_void_p), ("offset", c_uint64)]


class Tolerance(Structure):
    _fields_ = [("path", c_char_p), ("eps", c_double), ("reserved", c_uint64 * 2)]


class CompareOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("compat", c_bool), ("has_first", c_bool),
                ("has_last", c_bool), ("first", c_int64), ("last", c_int64),
                ("keep_going", c_bool), ("paranoid", c_bool), ("choices", c_void_p),
                ("choice_count", c_size_t), ("no_tables", c_bool), ("gpu", c_void_p),
                ("width", c_uint32), ("height", c_uint32), ("pictures", c_void_p),
                ("pictures_user", c_void_p), ("spans", c_void_p), ("span_count", c_size_t),
                ("only_spans", c_bool), ("outside", c_bool), ("channels", POINTER(c_char_p)),
                ("channel_count", c_size_t), ("ignored", POINTER(c_char_p)),
                ("ignored_count", c_size_t), ("any_paths", c_bool),
                ("tolerances", POINTER(Tolerance)), ("tolerance_count", c_size_t),
                ("progress", c_void_p), ("user", c_void_p), ("conditions", POINTER(c_char_p)),
                ("condition_count", c_size_t)]


class Diff(Structure):
    _fields_ = [("checked", c_uint64), ("divergences", c_void_p), ("divergence_count", c_size_t),
                ("tables", c_void_p), ("notes", POINTER(c_char_p)), ("note_count", c_size_t),
                ("endings", Ending * 2), ("key", c_char_p), ("word", c_char_p),
                ("bare_nan", c_bool), ("compared", c_uint64), ("channels", c_void_p),
                ("diagnostics", c_void_p), ("own_schema_2", c_bool), ("conditions", c_void_p),
                ("violated", c_uint64)]


class RepairOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("choices", c_void_p), ("choice_count", c_size_t),
                ("path", c_char_p), ("sink", c_void_p), ("folder", c_void_p), ("replace", c_bool),
                ("in_place", c_char_p), ("backup", c_char_p), ("progress", c_void_p),
                ("user", c_void_p)]


class BuildOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("format", c_char_p), ("dialect", c_char_p),
                ("path", c_char_p), ("replace", c_bool), ("sink", c_void_p), ("folder", c_void_p),
                ("progress", c_void_p), ("user", c_void_p)]


class ColumnAbout(Structure):
    _fields_ = [("name", c_char_p), ("field", c_char_p), ("unit", c_char_p), ("type", c_int),
                ("item", c_int), ("flags", c_uint), ("axis", c_int), ("alias_of", c_uint16),
                ("note", c_char_p), ("reserved", c_uint64 * 2)]


class TableAbout(Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("kind", c_int),
                ("columns", POINTER(ColumnAbout)), ("column_count", c_size_t), ("rows", c_uint64),
                ("ascends", c_uint), ("parent", c_char_p)]


class TablesOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("run", c_void_p), ("pen", c_size_t),
                ("trace", c_char_p), ("no_survey", c_bool), ("progress", c_void_p),
                ("user", c_void_p), ("stats", c_bool)]


class ColumnsScan(Structure):
    _fields_ = [("struct_size", c_size_t), ("table", c_char_p), ("columns", POINTER(c_uint16)),
                ("column_count", c_size_t), ("no_columns", c_bool), ("axis", c_int),
                ("from_", c_uint64), ("to", c_uint64), ("streams", POINTER(c_uint32)),
                ("stream_count", c_size_t), ("tests", c_void_p), ("test_count", c_size_t),
                ("begin", c_void_p), ("end", c_void_p), ("rows", c_size_t), ("merged", c_bool),
                ("progress", c_void_p), ("user", c_void_p), ("where", c_void_p),
                ("run_from", c_uint64), ("run_to", c_uint64)]


class Names(Structure):
    _fields_ = [("at", POINTER(c_void_p)), ("len", POINTER(c_uint32)), ("count", c_uint32)]


class Column(Structure):
    pass


Column._fields_ = [("values", c_void_p), ("valid", POINTER(c_uint8)), ("nulls", c_uint64),
                   ("offsets", POINTER(c_uint32)), ("items", POINTER(Column)),
                   ("names", POINTER(Names)), ("unfit", c_uint64),
                   ("reserved", c_uint64 * 2)]


class Batch(Structure):
    _fields_ = [("rows", c_size_t), ("selected", POINTER(c_uint32)), ("selected_count", c_size_t),
                ("columns", POINTER(Column)), ("column_count", c_size_t)]


class ArrowStream(Structure):
    _fields_ = [(name, c_void_p) for name in ("get_schema", "get_next", "get_last_error",
                                             "release", "private_data")]


class SqlSource(Structure):
    _fields_ = [("name", c_char_p), ("trace", c_void_p), ("run", c_void_p),
                ("reserved", c_uint64 * 2)]


class SqlOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("engine", c_char_p), ("max_memory", c_uint64),
                ("timeout_ms", c_uint64), ("no_grouping", c_bool), ("no_lookup", c_bool),
                ("no_push_down", c_bool), ("progress", c_void_p), ("user", c_void_p),
                ("threads", c_uint), ("stats", c_bool)]


class SqlColumn(Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("flags", c_uint),
                ("reserved", c_uint64 * 2)]


class RundirPen(Structure):
    _fields_ = [("format", c_char_p), ("file", c_char_p), ("path", c_char_p),
                ("left_out", c_char_p), ("trace", c_void_p), ("err", Error), ("files", c_void_p),
                ("file_count", c_size_t), ("varies", POINTER(c_char_p)), ("vary_count", c_size_t),
                ("reserved", c_uint64 * 2)]


class Rundir(Structure):
    _fields_ = [("path", c_char_p), ("json_err", Error), ("json", POINTER(Value)),
                ("pens", POINTER(RundirPen)), ("pen_count", c_size_t)]


class PensOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("dir", c_char_p), ("program", c_char_p),
                ("seed", c_uint64), ("settings", Bytes), ("first_tick", c_uint64),
                ("dt_seconds", c_double), ("pens", c_char_p), ("keep", c_int),
                ("flush_ms", c_uint), ("replace", c_bool)]


class PensEntity(Structure):
    _fields_ = [("pool", c_int), ("slot", c_uint32), ("generation", c_uint32)] + \
               [(name, c_int32) for name in ("kind", "flags", "owner", "target")] + \
               [(name, c_double) for name in ("hp", "x", "y", "vx", "vy", "heading", "timer")]


# What the structures above are called in C, for the test that compares them.
LAYOUTS = {
    "ras_error": Error, "ras_ending": Ending, "ras_bytes": Bytes, "ras_value": Value,
    "ras_field": Field, "ras_schema": Schema, "ras_record": Record,
    "ras_format_about": FormatAbout, "ras_limits": Limits, "ras_options": Options,
    "ras_pick": Pick, "ras_scan": Scan, "ras_verify_options": VerifyOptions,
    "ras_stats_options": StatsOptions, "ras_tolerance": Tolerance,
    "ras_compare_options": CompareOptions, "ras_diff": Diff,
    "ras_repair_options": RepairOptions,
    "ras_build_options": BuildOptions, "ras_column_about": ColumnAbout,
    "ras_table_about": TableAbout, "ras_tables_options": TablesOptions,
    "ras_columns_scan": ColumnsScan, "ras_names": Names, "ras_column": Column,
    "ras_batch": Batch, "ArrowArrayStream": ArrowStream, "ras_sql_source": SqlSource,
    "ras_sql_options": SqlOptions, "ras_sql_column": SqlColumn, "ras_rundir_pen": RundirPen,
    "ras_rundir": Rundir, "ras_pens_options": PensOptions, "ras_pens_entity": PensEntity,
}

_P = POINTER
_ERR = _P(Error)
_OUT = _P(c_void_p)

# Name: what it returns, what it takes.
_CORE: "dict[str, tuple[Any, list[Any]]]" = {
    "ras_version": (c_char_p, []),
    "ras_version_number": (c_uint, []),
    "ras_ending_name": (c_char_p, [c_int]),
    "ras_format_at": (_P(FormatAbout), [c_size_t]),
    "ras_open": (c_int, [_OUT, c_char_p, _P(Options), _ERR]),
    "ras_open_memory": (c_int, [_OUT, c_void_p, c_size_t, _P(Options), _ERR]),
    "ras_close": (None, [c_void_p]),
    "ras_format_of": (_P(FormatAbout), [c_void_p]),
    "ras_dialect": (c_char_p, [c_void_p]),
    "ras_format_version": (c_uint64, [c_void_p]),
    "ras_size": (c_uint64, [c_void_p]),
    "ras_part_name": (c_char_p, [c_void_p, c_size_t]),
    "ras_schema_count": (c_size_t, [c_void_p]),
    "ras_schema_at": (_P(Schema), [c_void_p, c_size_t]),
    "ras_ending": (Ending, [c_void_p]),
    "ras_time_parse": (c_int, [c_void_p, c_char_p, _P(c_uint64), _ERR]),
    "ras_cursor_open": (c_int, [_OUT, c_void_p, _P(Scan), _ERR]),
    "ras_cursor_close": (None, [c_void_p]),
    "ras_next": (c_int, [c_void_p, _P(_P(Record)), _ERR]),
    "ras_values": (_P(Value), [c_void_p, _P(c_size_t)]),
    "ras_schema_of": (_P(Schema), [c_void_p]),
    "ras_has_time": (c_bool, [c_void_p]),
    "ras_where_parse": (c_int, [_OUT, c_char_p, _ERR]),
    "ras_where_free": (None, [c_void_p]),
    "ras_where_begin": (c_int, [c_void_p, c_void_p, _ERR]),
    "ras_where_matches": (c_int, [c_void_p, c_void_p, _P(Record), _P(c_bool), _ERR]),
    "ras_info": (c_int, [_OUT, c_void_p, c_void_p, c_void_p, _ERR]),
    "ras_info_free": (None, [c_void_p]),
    "ras_info_json": (c_int, [c_void_p, c_char_p, c_void_p, _ERR]),
    "ras_verify": (c_int, [_OUT, c_void_p, _P(VerifyOptions), _ERR]),
    "ras_report_free": (None, [c_void_p]),
    "ras_report_json": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p, c_bool, _ERR]),
    "ras_stats": (c_int, [_OUT, c_void_p, _P(StatsOptions), _ERR]),
    "ras_stats_free": (None, [c_void_p]),
    "ras_stats_json": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p, _ERR]),
    "ras_diff": (c_int, [_P(_P(Diff)), c_void_p, c_void_p, _P(CompareOptions), _ERR]),
    "ras_diff_free": (None, [_P(Diff)]),
    "ras_diff_json": (c_int, [c_void_p, _P(Diff), _P(CompareOptions), c_int, _ERR]),
    "ras_repair": (c_int, [_OUT, c_void_p, _P(RepairOptions), _ERR]),
    "ras_repair_free": (None, [c_void_p]),
    "ras_repair_json": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p, _ERR]),
    "ras_build": (c_int, [_OUT, Bytes, _P(BuildOptions), _ERR]),
    "ras_rewritten_free": (None, [c_void_p]),
    "ras_sink_memory": (c_int, [_OUT, _ERR]),
    "ras_sink_bytes": (Bytes, [c_void_p]),
    "ras_sink_drop": (None, [c_void_p]),
    "ras_tables_open": (c_int, [_OUT, c_void_p, _P(TablesOptions), _ERR]),
    "ras_tables_close": (None, [c_void_p]),
    "ras_table_at": (_P(TableAbout), [c_void_p, c_size_t]),
    "ras_table_of": (_P(TableAbout), [c_void_p, c_char_p]),
    "ras_columns_open": (c_int, [_OUT, c_void_p, _P(ColumnsScan), _ERR]),
    "ras_columns_next": (c_int, [c_void_p, _P(_P(Batch)), _ERR]),
    "ras_columns_close": (None, [c_void_p]),
    "ras_arrow_stream": (c_int, [c_void_p, _P(ColumnsScan), _P(ArrowStream), _ERR]),
    "ras_rundir_exists": (c_bool, [c_char_p]),
    "ras_rundir_open": (c_int, [_P(_P(Rundir)), c_char_p, _P(Options), _ERR]),
    "ras_rundir_close": (None, [_P(Rundir)]),
    "ras_rundiff": (c_int, [_OUT, _P(Rundir), _P(Rundir), _P(CompareOptions), _ERR]),
    "ras_rundiff_free": (None, [c_void_p]),
    "ras_rundiff_json": (c_int, [c_void_p, c_void_p, _P(CompareOptions), c_int, _ERR]),
}
_SQL: "dict[str, tuple[Any, list[Any]]]" = {
    "ras_sql_open": (c_int, [_OUT, _P(SqlSource), c_size_t, _P(SqlOptions), _ERR]),
    "ras_sql_close": (None, [c_void_p]),
    "ras_sql_notes": (_P(c_char_p), [c_void_p, _P(c_size_t)]),
    "ras_sql_prepare": (c_int, [_OUT, c_void_p, c_char_p, c_size_t, _P(c_size_t), _ERR]),
    "ras_sql_query_close": (None, [c_void_p]),
    "ras_sql_columns": (_P(SqlColumn), [c_void_p, _P(c_size_t)]),
    "ras_sql_next": (c_int, [c_void_p, _P(_P(Value)), _ERR]),
}
_PENS: "dict[str, tuple[Any, list[Any]]]" = {
    "ras_pens_open": (c_int, [_OUT, _P(PensOptions), _ERR]),
    "ras_pens_close": (c_int, [c_void_p, _ERR]),
    "ras_pens_tick": (None, [c_void_p, c_uint64]),
    "ras_pens_settled": (None, [c_void_p]),
    "ras_pens_flush": (None, [c_void_p]),
    "ras_pens_input": (None, [c_void_p, c_uint32, c_char_p, c_size_t]),
    "ras_pens_name": (c_uint32, [c_void_p, c_char_p]),
    "ras_pens_bytes": (None, [c_void_p, c_uint32, c_uint64, c_char_p, c_size_t]),
    "ras_pens_int": (None, [c_void_p, c_uint32, c_uint64, c_int64]),
    "ras_pens_real": (None, [c_void_p, c_uint32, c_uint64, c_double]),
    "ras_pens_text": (None, [c_void_p, c_uint32, c_uint64, c_char_p]),
    "ras_pens_snapshot": (None, [c_void_p, c_uint64]),
    "ras_pens_draw": (None, [c_void_p, c_uint32, c_uint32, c_uint32, c_uint32]),
    "ras_pens_entity": (None, [c_void_p, _P(PensEntity)]),
    "ras_pens_player": (None, [c_void_p, c_uint32, c_double, c_double, c_double, c_int64,
                               c_int64]),
    "ras_pens_begin": (None, [c_void_p, c_uint32]),
    "ras_pens_end": (None, [c_void_p, c_uint32]),
    "ras_pens_pixels": (None, [c_void_p, c_int, c_uint32, c_uint32, c_size_t, c_char_p,
                               _P(c_uint32)]),
}


def _places(name: str) -> List[str]:
    """Where the library may be: RASTRUM_LIBRARY names librastrum.so or its directory; beside this
    package, as in a wheel; below the prefix it was installed to; where the system looks."""
    file = "lib%s.so.1" % name
    chosen = os.environ.get("RASTRUM_LIBRARY")
    if chosen:
        folder = chosen if os.path.isdir(chosen) else os.path.dirname(os.path.abspath(chosen))
        if name == "rastrum" and not os.path.isdir(chosen):
            return [chosen]
        return [os.path.join(folder, file), os.path.join(folder, file[:-2])]
    here = os.path.dirname(os.path.abspath(__file__))
    return [os.path.join(here, file), *_installed(here, file), file]


def _installed(here: str, file: str) -> List[str]:
    """Of a package in PREFIX/share/rastrum/python/rastrum: PREFIX/lib, or where LIBDIR was."""
    prefix, inside = here, ("rastrum", "python", "rastrum", "share")
    for name in inside:
        prefix, last = os.path.split(prefix)
        if last != name:
            return []
    places = [os.path.join(prefix, "lib"), os.path.join(prefix, "lib64"),
              *sorted(glob.glob(os.path.join(glob.escape(prefix), "lib", "*-linux-*")))]
    return [place for place in (os.path.join(place, file) for place in places)
            if os.path.exists(place)]


def _load(name: str, functions: "dict[str, tuple[Any, list[Any]]]") -> Any:
    tried: List[str] = []
    for place in _places(name):
        try:
            library = ctypes.CDLL(place, mode=ctypes.RTLD_GLOBAL)
            break
        except OSError as error:
            tried.append(str(error))
    else:
        raise ImportError(
            "lib%s.so.1 cannot be loaded (%s): install the package that has it, or set "
            "RASTRUM_LIBRARY to the directory of a build" % (name, "; ".join(tried)))
    for function, (returns, takes) in functions.items():
        found = getattr(library, function)
        found.restype, found.argtypes = returns, takes
    return library


class _Lazy:
    """A library that is loaded when it is first needed: not every installation has all."""

    def __init__(self, name: str, functions: "dict[str, tuple[Any, list[Any]]]") -> None:
        self._name, self._functions, self._library = name, functions, None

    def __getattr__(self, function: str) -> Any:
        if self._library is None:
            self._library = _load(self._name, self._functions)
        return getattr(self._library, function)


lib = _load("rastrum", _CORE)
sql = _Lazy("rastrum-sql", _SQL)
pens = _Lazy("rastrum-pens", _PENS)

if sys.byteorder != "little" or sizeof(c_void_p) != 8:
    raise ImportError("rastrum for Python needs a little-endian 64-bit machine")
if (sizeof(Value), sizeof(Record)) != (16, 64):
    raise ImportError("this Python lays structures out otherwise than C does")
_number = lib.ras_version_number()
_major, _minor = _number // 10000, _number // 100 % 100
# A later minor version will do, but not while the major one is 0: docs/abi.md.
if _major != VERSION[0] or _minor < VERSION[1] or _major == 0 and _minor > VERSION[1]:
    raise ImportError("librastrum is version %s, this package is made for %d.%d" % (
        lib.ras_version().decode(), *VERSION))


def strings(words: Optional[Sequence[str]]) -> Any:
    """An array of C texts, or None where there are none."""
    if not words:
        return None
    return (c_char_p * len(words))(*[raw(word) for word in words])


def raw(text: str) -> bytes:
    """Text as the library takes it: the inverse of name()."""
    return text.encode("utf-8", "surrogateescape").replace(b"\0", b"\xc0\x80")


def name(raw: bytes) -> str:
    """A name that a trace gave: what is not UTF-8 as surrogates, U+0000 as it is."""
    return raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogateescape")


def text(raw: Optional[bytes]) -> Optional[str]:
    return None if raw is None else raw.decode("utf-8", "replace")


def checked(call: Callable[..., int], *arguments: Any) -> int:
    """The status of a call whose last parameter is the error; a failure is raised."""
    from . import RastrumError
    error = Error()
    status: int = call(*arguments, byref(error))
    if status < 0:
        raise RastrumError(status, text(error.text) or "status %d" % status,
                           None if error.offset == NONE else error.offset)
    return status


__all__ = [name for name in dir() if not name.startswith("_")]

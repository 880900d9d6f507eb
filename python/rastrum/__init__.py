"""Read, check, compare and write execution traces.

    import rastrum
    t = rastrum.open("trace.bin")
    t.format, t.info()["records"]["total"], t.ending
    for r in t.records(types=["PollStartEvent"]):
        print(r.time_ns, r["task_id"])
    t.table("event", where="call_depth < 3").to_pandas()
    rastrum.diff("good.cdt", "bad.cdt").first
    rastrum.sql("SELECT count(*) FROM event", "session")

A trace that a crash cut short is read as far as it goes: a TruncatedWarning says so, and `ending`
says where. What cannot be read is a RastrumError. A trace belongs to one thread at a time.
docs/python.md has the whole.
"""
from __future__ import annotations

import ctypes
import html
import json
import os
import warnings
from typing import (Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple,
                    Union)

from . import _c

__version__ = "1.0.0rc1"
PathLike = Union[str, "os.PathLike[str]"]


class RastrumError(Exception):
    """What the library refused: `status` (below zero), `offset` of the byte, where there is one."""

    def __init__(self, status: int, text: str, offset: Optional[int]) -> None:
        super().__init__(text)
        self.status, self.offset = status, offset


class TruncatedWarning(UserWarning):
    """The trace is cut, unsealed or damaged: what is there was read."""


from ._pens import Pens  # noqa: E402  they need the classes above
from ._sql import Database, Result, connect, sql  # noqa: E402
from ._table import Batch, Column, Table  # noqa: E402
from ._values import Closing, fields_of, value_at  # noqa: E402


class Ending(NamedTuple):
    """How the bytes of a trace end."""
    state: str  # "complete", "unsealed", "cut", "damaged"; "open": not read to the end yet
    offset: int  # every byte before this one was understood
    size: int
    why: str


class Record:
    """One record: its place, its type, and its fields, as r["name"]. `values` is a dict, or the
    pairs as they come where a self-describing trace has a name twice."""
    __slots__ = ("type", "seq", "time_ns", "tick", "stream", "offset", "parent", "values")

    def __init__(self, raw: Any, schema: Any, has_time: bool, values: Any) -> None:
        self.type: str = _c.name(schema.name)
        self.seq: Optional[int] = None if raw.seq == _c.NONE else raw.seq
        self.time_ns: Optional[int] = raw.time_ns if has_time else None
        self.tick: Optional[int] = raw.tick if raw.flags & _c.HAS_TICK else None
        self.stream: int = raw.stream
        self.offset: int = raw.offset
        self.parent: Optional[int] = None if raw.parent == _c.NONE else raw.parent
        self.values = values

    def __getitem__(self, field: str) -> Any:
        return dict(reversed(self.values))[field] if isinstance(self.values, list) \
            else self.values[field]

    def __repr__(self) -> str:
        place = "".join(" %s=%s" % (name, getattr(self, name))
                        for name in ("tick", "time_ns") if getattr(self, name) is not None)
        return "<%s %s%s %r>" % (self.type, self.seq, place, self.values)


def _ending_of(trace: Any) -> Ending:
    raw = _c.lib.ras_ending(trace)
    return Ending(_c.lib.ras_ending_name(raw.kind).decode(), raw.offset, raw.size,
                  _c.text(raw.why) or "")


def _warn(path: str, ending: Ending) -> bool:
    """Where a trace that was read to its end is not whole: a warning."""
    if ending.state in ("complete", "open"):
        return False
    warnings.warn("%s: %s at byte %d of %d: %s" % (path, ending.state, ending.offset, ending.size,
                                                   ending.why), TruncatedWarning, stacklevel=4)
    return True


def _open(path: PathLike, call: Any, *arguments: Any) -> None:
    """Open a path; a failure names it."""
    try:
        _c.checked(call, *arguments)
    except RastrumError as error:
        raise RastrumError(error.status, "%s: %s" % (os.fsdecode(path), error),
                           error.offset) from None


def _document(write: Any, *arguments: Any) -> Any:
    """What a function of the library writes as JSON."""
    sink = _c.c_void_p()
    _c.checked(_c.lib.ras_sink_memory, _c.byref(sink))
    try:
        _c.checked(write, sink, *arguments)
        raw = _c.lib.ras_sink_bytes(sink)
        return json.loads(ctypes.string_at(raw.at, raw.len)) if raw.len else None
    finally:
        _c.lib.ras_sink_drop(sink)


class Trace(Closing):
    """An open trace: open() makes it; close() or `with` ends it."""

    _trace: Any = None
    _tables: Dict[bool, Any] = {}

    def __init__(self, path: Optional[PathLike] = None, *, data: Optional[bytes] = None,
                 format: Optional[str] = None, dialect: Optional[str] = None) -> None:
        if (path is None) == (data is None):
            raise ValueError("a path or data, and not both")
        self.path: Optional[str] = None if path is None else os.fspath(path)
        self._data = data
        self._trace = _c.c_void_p()
        self._tables: Dict[bool, Any] = {}
        self._warned = False
        options = _c.Options(struct_size=_c.sizeof(_c.Options),
                             format=format.encode() if format else None,
                             dialect=dialect.encode() if dialect else None)
        if data is None:
            _open(self.path or "", _c.lib.ras_open, _c.byref(self._trace),
                  os.fsencode(self.path or ""), _c.byref(options))
        else:
            _c.checked(_c.lib.ras_open_memory, _c.byref(self._trace), data, len(data),
                       _c.byref(options))

    # ---- life ------------------------------------------------------------------------------

    def close(self) -> None:
        """Free it. What was read from it stays valid; what reads from it must not be used."""
        for tables in self._tables.values():
            _c.lib.ras_tables_close(tables)
        self._tables = {}
        if self._trace:
            _c.lib.ras_close(self._trace)
            self._trace = _c.c_void_p()

    def _pointer(self) -> Any:
        if not self._trace:
            raise ValueError("the trace is closed")
        return self._trace

    def _ended(self) -> None:
        """After a walk to the end: a warning, once, where the trace is not whole."""
        if not self._warned:
            self._warned = _warn(self.path or "the trace", self.ending)

    # ---- what it is ------------------------------------------------------------------------

    @property
    def format(self) -> str:
        name: bytes = _c.lib.ras_format_of(self._pointer()).contents.name
        return name.decode()

    @property
    def dialect(self) -> Optional[str]:
        return _c.text(_c.lib.ras_dialect(self._pointer()))

    @property
    def version(self) -> int:
        version: int = _c.lib.ras_format_version(self._pointer())
        return version

    @property
    def size_bytes(self) -> int:
        size: int = _c.lib.ras_size(self._pointer())
        return size

    @property
    def ending(self) -> Ending:
        """Known after something read the trace to its end: records(), info(), ..."""
        return _ending_of(self._pointer())

    @property
    def types(self) -> List[str]:
        """The names of the record types that are known so far."""
        count = _c.lib.ras_schema_count(self._pointer())
        found = [_c.name(_c.lib.ras_schema_at(self._trace, i).contents.name)
                 for i in range(count)]
        return list(dict.fromkeys(found))

    # ---- documents, as the command prints them with --json ------------------------------------

    def _label(self) -> bytes:
        return os.fsencode(self.path) if self.path is not None else b"-"

    def info(self) -> Dict[str, Any]:
        """What `rastrum info --json` prints."""
        raw = _c.c_void_p()
        _c.checked(_c.lib.ras_info, _c.byref(raw), self._pointer(), None, None)
        try:
            found: Dict[str, Any] = _document(_c.lib.ras_info_json, self._label(), raw)
        finally:
            _c.lib.ras_info_free(raw)
        self._ended()
        return found

    def verify(self, *, strict: bool = False, deep: bool = False) -> Dict[str, Any]:
        """What `rastrum verify --json` prints: findings, each with its rule and place."""
        raw = _c.c_void_p()
        options = _c.VerifyOptions(struct_size=_c.sizeof(_c.VerifyOptions), strict=strict,
                                   deep=deep)
        _c.checked(_c.lib.ras_verify, _c.byref(raw), self._pointer(), _c.byref(options))
        try:
            found: Dict[str, Any] = _document(_c.lib.ras_report_json, self._label(), self._trace,
                                              raw, strict)
        finally:
            _c.lib.ras_report_free(raw)
        return found

    def stats(self, *tables: str, sort: Optional[str] = None, limit: int = 0) -> Dict[str, Any]:
        """Tables of statistics by their names: each with `columns` and `rows`."""
        names = _c.strings(tables)
        options = _c.StatsOptions(struct_size=_c.sizeof(_c.StatsOptions), tables=names,
                                  table_count=len(tables), limit=limit,
                                  sort=sort.encode() if sort else None)
        raw = _c.c_void_p()
        _c.checked(_c.lib.ras_stats, _c.byref(raw), self._pointer(), _c.byref(options))
        try:
            found = _document(_c.lib.ras_stats_json, self._label(), self._trace, raw)
        finally:
            _c.lib.ras_stats_free(raw)
        self._ended()
        shown: Dict[str, Any] = found["tables"]
        return shown

    # ---- records -----------------------------------------------------------------------------

    def records(self, types: Optional[Sequence[str]] = None, *,
                fields: Optional[Sequence[str]] = None, where: Optional[str] = None,
                axis: Optional[str] = None, start: Optional[int] = None,
                stop: Optional[int] = None, streams: Optional[Sequence[int]] = None,
                merged: bool = False, values: bool = True) -> Iterator[Record]:
        """Record by record, in stored order or, merged, in order of time.

        `types` are names or globs; `axis` is "seq", "time" (ns) or "tick", from `start` up to but
        not including `stop`; `where` is a condition as in docs/where.md. For millions of records
        use table() instead.
        """
        scan, held = _scan_of(types, fields, axis, start, stop, streams, merged, values)
        cursor = _c.c_void_p()
        _c.checked(_c.lib.ras_cursor_open, _c.byref(cursor), self._pointer(), _c.byref(scan))
        condition = _Condition(where, self._trace) if where is not None else None
        try:
            raw = _c.POINTER(_c.Record)()
            while _c.checked(_c.lib.ras_next, cursor, _c.byref(raw)) == _c.OK:
                if condition is None or condition.holds(cursor, raw):
                    yield self._record(cursor, raw.contents)
        finally:
            _c.lib.ras_cursor_close(cursor)
            del held
        self._ended()

    def _record(self, cursor: Any, raw: Any) -> Record:
        schema = _c.lib.ras_schema_of(cursor).contents
        count = _c.c_size_t()
        cells = _c.lib.ras_values(cursor, _c.byref(count))
        return Record(raw, schema, bool(raw.flags & _c.HAS_TIME),
                      fields_of(schema, cells, count.value))

    # ---- tables ------------------------------------------------------------------------------

    def _tables_of(self, stats: bool) -> Any:
        if stats not in self._tables:
            options = _c.TablesOptions(struct_size=_c.sizeof(_c.TablesOptions), stats=stats)
            found = _c.c_void_p()
            _c.checked(_c.lib.ras_tables_open, _c.byref(found), self._pointer(), _c.byref(options))
            self._tables[stats] = found
        return self._tables[stats]

    @property
    def tables(self) -> List[str]:
        """The names that table() takes, without those of stats: stats_NAME."""
        tables, names = self._tables_of(False), []
        while True:
            about = _c.lib.ras_table_at(tables, len(names))
            if not about:
                return names
            names.append(_c.name(about.contents.name))

    def table(self, name: str, columns: Optional[Sequence[str]] = None, *,
              where: Optional[str] = None, axis: Optional[str] = None,
              start: Optional[int] = None, stop: Optional[int] = None,
              streams: Optional[Sequence[int]] = None) -> Table:
        """Records of a type, a list inside them, or statistics (stats_NAME) as a table."""
        return Table(self, name, columns, where, axis, start, stop, streams, False)

    def sql(self, query: str, **options: Any) -> Result:
        """The rows of a query; its tables are those of `tables`."""
        return sql(query, self, **options)

    # ---- changes -----------------------------------------------------------------------------

    def repair(self, path: PathLike, *, replace: bool = False) -> Dict[str, Any]:
        """Write a repaired copy; what `rastrum repair --json` prints of it."""
        options = _c.RepairOptions(struct_size=_c.sizeof(_c.RepairOptions),
                                   path=os.fsencode(path), replace=replace)
        raw = _c.c_void_p()
        _c.checked(_c.lib.ras_repair, _c.byref(raw), self._pointer(), _c.byref(options))
        try:
            found: Dict[str, Any] = _document(_c.lib.ras_repair_json, self._label(), self._trace,
                                              raw)
        finally:
            _c.lib.ras_repair_free(raw)
        return found

    # ---- shown -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        if not self._trace:
            return "<rastrum trace, closed>"
        return "<rastrum %s trace %s, %d bytes>" % (self.format, self.path or "in memory",
                                                    self.size_bytes)

    def _repr_html_(self) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncatedWarning)
            info = self.info()
        rows = [("format", "%s %s" % (info["format"], info.get("dialect") or "")),
                ("bytes", info["size_bytes"]), ("records", info["records"]["total"]),
                ("ending", "%s %s" % (info["ending"]["state"], info["ending"]["why"]))]
        rows += [(name, count) for name, count in info["records"]["by_type"].items()]
        body = "".join("<tr><th>%s</th><td>%s</td></tr>" % (html.escape(str(name)),
                                                          html.escape(str(value)))
                       for name, value in rows)
        return "<table><caption>%s</caption><tbody>%s</tbody></table>" % (
            html.escape(self.path or "trace"), body)


class _Condition:
    """A condition of records(), bound to a trace."""

    def __init__(self, text: str, trace: Any) -> None:
        from ._table import _Where
        self._where = _Where(text)
        _c.checked(_c.lib.ras_where_begin, self._where.pointer, trace)

    def holds(self, cursor: Any, record: Any) -> bool:
        matches = _c.c_bool()
        _c.checked(_c.lib.ras_where_matches, self._where.pointer, cursor, record,
                   _c.byref(matches))
        return matches.value


def _scan_of(types: Optional[Sequence[str]], fields: Optional[Sequence[str]],
             axis: Optional[str], start: Optional[int], stop: Optional[int],
             streams: Optional[Sequence[int]], merged: bool, values: bool) -> Tuple[Any, List[Any]]:
    """A scan, and what must live as long as it is opened."""
    if axis is None and (start is not None or stop is not None):
        raise ValueError("start and stop need an axis: 'seq', 'time' or 'tick'")
    scan = _c.Scan(struct_size=_c.sizeof(_c.Scan), axis=_c.AXES[axis],
                   from_=0 if start is None else start, to=_c.NONE if stop is None else stop,
                   merged=merged, headers_only=not values)
    held: List[Any] = []
    if types is not None or fields is not None:
        words = _c.strings(fields)
        names: List[Optional[str]] = list(types) if types is not None else [None]
        picks = (_c.Pick * len(names))(*[
            _c.Pick(type=_c.raw(name) if name is not None else None, fields=words,
                    field_count=len(fields or ())) for name in names])
        scan.picks, scan.pick_count = picks, len(names)
        held += [words, picks]
    if streams is not None:
        numbers = (_c.c_uint32 * max(1, len(streams)))(*streams)
        scan.streams, scan.stream_count = numbers, len(streams)
        held.append(numbers)
    return scan, held


def open(path: Optional[PathLike] = None, *, data: Optional[bytes] = None,
         format: Optional[str] = None, dialect: Optional[str] = None) -> Trace:
    """Open a trace: a file, the directory of a session or of segments, or bytes. Its format is
    known by its bytes, unless it is named."""
    return Trace(path, data=data, format=format, dialect=dialect)


def formats() -> List[str]:
    """The names of the formats that the library reads."""
    found: List[str] = []
    while True:
        about = _c.lib.ras_format_at(len(found))
        if not about:
            return found
        found.append(about.contents.name.decode())


class Run(Closing):
    """A run directory: the traces of one execution."""

    _run: Any = None

    def __init__(self, path: PathLike) -> None:
        self.path = os.fspath(path)
        self._run = _c.POINTER(_c.Rundir)()
        _open(self.path, _c.lib.ras_rundir_open, _c.byref(self._run), os.fsencode(self.path), None)

    @property
    def settings(self) -> Dict[str, Any]:
        """run.json; empty where it cannot be understood."""
        json_cells = self._run.contents.json
        found: Dict[str, Any] = value_at(json_cells, 0)[0] if json_cells else {}
        return found

    @property
    def traces(self) -> Dict[str, str]:
        """The path of each trace, by its format."""
        run = self._run.contents
        return {run.pens[i].format.decode(): os.fsdecode(run.pens[i].path)
                for i in range(run.pen_count) if run.pens[i].trace}

    def open(self, format: str) -> Trace:
        return Trace(self.traces[format])

    @property
    def endings(self) -> Dict[str, Ending]:
        """How each trace ends, once something has read it."""
        run = self._run.contents
        return {run.pens[i].format.decode(): _ending_of(run.pens[i].trace)
                for i in range(run.pen_count) if run.pens[i].trace}

    def _ended(self) -> None:
        """After a query: a warning for each trace that it found not whole."""
        for format, ending in self.endings.items():
            _warn(self.traces[format], ending)

    def close(self) -> None:
        if self._run:
            _c.lib.ras_rundir_close(self._run)
            self._run = _c.POINTER(_c.Rundir)()

    def __repr__(self) -> str:
        return "<rastrum run %s: %s>" % (self.path, ", ".join(self.traces))


class Diff:
    """What a comparison found: `document` is what `rastrum diff --json` prints; `complete` is false
    where a trace is cut or damaged, so that only what is there was compared."""

    def __init__(self, document: Dict[str, Any], complete: bool) -> None:
        self.document, self.complete = document, complete

    @property
    def same(self) -> bool:
        """Nothing differs in what was compared: see `complete`."""
        return bool(self.document["status"] == "ok")

    @property
    def first(self) -> Optional[Dict[str, Any]]:
        """The first divergence; of two runs the first tick, and what each trace says of it."""
        if "pens" in self.document:
            tick = self.document.get("first_divergent_tick")
            parts = {name: pen for name, pen in self.document["pens"].items()
                     if pen.get("status") not in ("ok", None)}
            return {"tick": tick, "pens": parts} if parts else None
        found: Optional[Dict[str, Any]] = self.document.get("mismatch")
        return found

    def __bool__(self) -> bool:
        return not self.same

    def __repr__(self) -> str:
        state = "" if self.complete else ", as far as the traces go: not whole"
        return "<rastrum diff: %s%s>" % (self.document["status"], state)

    def _repr_html_(self) -> str:
        return "<pre>%s</pre>" % html.escape(json.dumps(
            {"status": self.document["status"], "complete": self.complete, "first": self.first},
            indent=2)[:20000])


def _compare_options(first: Optional[int], last: Optional[int], channels: Sequence[str],
                     ignore: Sequence[str], tolerance: Mapping[str, float],
                     every: bool) -> Tuple[Any, List[Any]]:
    options = _c.CompareOptions(struct_size=_c.sizeof(_c.CompareOptions), keep_going=every)
    options.has_first, options.has_last = first is not None, last is not None
    options.first, options.last = first or 0, last or 0
    held = [_c.strings(channels), _c.strings(ignore)]
    options.channels, options.channel_count = held[0], len(channels)
    options.ignored, options.ignored_count = held[1], len(ignore)
    if tolerance:
        rows = (_c.Tolerance * len(tolerance))(*[_c.Tolerance(path.encode(), eps)
                                                for path, eps in tolerance.items()])
        options.tolerances, options.tolerance_count = rows, len(tolerance)
        held.append(rows)
    return options, held


def _opened(side: Any) -> Any:
    if isinstance(side, (Trace, Run)):
        return side
    path = os.fspath(side)
    return Run(path) if _c.lib.ras_rundir_exists(os.fsencode(path)) else Trace(path)


def diff(expected: Union[Trace, Run, PathLike], actual: Union[Trace, Run, PathLike], *,
         first: Optional[int] = None, last: Optional[int] = None, channels: Sequence[str] = (),
         ignore: Sequence[str] = (), tolerance: Optional[Mapping[str, float]] = None,
         every: bool = False) -> Diff:
    """Compare two traces of one format, or two run directories, to the first divergence.

    `ignore` and the keys of `tolerance` are paths as in a report (`players[0].pos.x`, `*` for any
    name); `first` and `last` are positions on the format's axis; `every` finds all divergences.
    """
    left, right = _opened(expected), _opened(actual)
    if isinstance(left, Run) != isinstance(right, Run):
        raise ValueError("a run is compared with a run, a trace with a trace")
    options, held = _compare_options(first, last, channels, ignore, tolerance or {}, every)
    try:
        return _diff_runs(left, right, options) if isinstance(left, Run) else \
            _diff_traces(left, right, options)
    finally:
        del held


def _diff_runs(left: Run, right: Run, options: Any) -> Diff:
    raw = _c.c_void_p()
    _c.checked(_c.lib.ras_rundiff, _c.byref(raw), left._run, right._run, _c.byref(options))
    try:
        document = _document(_c.lib.ras_rundiff_json, raw, _c.byref(options), 0)
    finally:
        _c.lib.ras_rundiff_free(raw)
    endings = [*left.endings.values(), *right.endings.values()]
    return Diff(document, document["status"] != "incomplete" and
                all(ending.state in ("complete", "open") for ending in endings))


def _diff_traces(left: Trace, right: Trace, options: Any) -> Diff:
    raw = _c.POINTER(_c.Diff)()
    _c.checked(_c.lib.ras_diff, _c.byref(raw), left._pointer(), right._pointer(),
               _c.byref(options))
    try:
        document = _document(_c.lib.ras_diff_json, raw, _c.byref(options), 0)
        states = [_c.lib.ras_ending_name(ending.kind) for ending in raw.contents.endings]
    finally:
        _c.lib.ras_diff_free(raw)
    return Diff(document, all(state in (b"complete", b"open") for state in states))


def repair(path: PathLike, to: PathLike, *, replace: bool = False) -> Dict[str, Any]:
    """Write a repaired copy of a trace that was cut or damaged."""
    with Trace(path) as trace:
        return trace.repair(to, replace=replace)


class Writer:
    """Write a trace from records, as `rastrum convert --from-jsonl` does.

        with rastrum.Writer("murk", "x.murk", header={"seed": 7}) as w:
            w.append("frame", {"tick_id": 1, "snapshot_hash": "0x1111111111111111"})

    Records are those that records() gives, in the same order; they are kept in memory until the
    end. Where an exception leaves the block nothing is written.
    """

    def __init__(self, format: str, path: PathLike, *, header: Optional[Mapping[str, Any]] = None,
                 dialect: Optional[str] = None, replace: bool = False) -> None:
        self.format, self.path, self.dialect = format, os.fspath(path), dialect
        self.replace = replace
        self._lines: List[bytes] = []
        if header is not None:
            self._put({"type": "header", "values": dict(header)})

    def _put(self, line: Dict[str, Any]) -> None:
        def plain(value: Any) -> Any:
            if isinstance(value, (bytes, bytearray)):
                return value.hex()
            raise TypeError("a field cannot be %s" % type(value).__name__)
        self._lines.append(json.dumps(line, default=plain, ensure_ascii=False).encode())

    def append(self, type: str, values: Mapping[str, Any], *, time_ns: Optional[int] = None,
               tick: Optional[int] = None, stream: Optional[int] = None) -> None:
        line: Dict[str, Any] = {"type": type}
        for name, value in (("time_ns", time_ns), ("tick", tick), ("stream", stream)):
            if value is not None:
                line[name] = value
        line["values"] = dict(values)
        self._put(line)

    def close(self) -> None:
        """Write the trace."""
        raw = b"\n".join(self._lines) + b"\n"
        buffer = ctypes.create_string_buffer(raw, len(raw))
        options = _c.BuildOptions(struct_size=_c.sizeof(_c.BuildOptions),
                                  format=self.format.encode(), path=os.fsencode(self.path),
                                  dialect=self.dialect.encode() if self.dialect else None,
                                  replace=self.replace)
        made = _c.c_void_p()
        _c.checked(_c.lib.ras_build, _c.byref(made),
                   _c.Bytes(ctypes.addressof(buffer), len(raw)), _c.byref(options))
        _c.lib.ras_rewritten_free(made)

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()


__all__ = ["Batch", "Column", "Database", "Diff", "Ending", "Pens", "RastrumError", "Record",
           "Result", "Run", "Table", "Trace", "TruncatedWarning", "Writer", "connect", "diff",
           "formats", "open", "repair", "sql"]

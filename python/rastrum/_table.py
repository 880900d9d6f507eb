"""Tables of a trace: batches of columns for NumPy, pandas, and everything that reads Arrow."""
from __future__ import annotations

import ctypes
import html
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import _c

if TYPE_CHECKING:
    from . import Trace

# Of each type with a fixed width: its name in NumPy, in ctypes.
_FIXED = {_c.T_BOOL: ("bool", ctypes.c_bool), _c.T_U8: ("u1", ctypes.c_uint8),
          _c.T_U16: ("<u2", ctypes.c_uint16), _c.T_U32: ("<u4", ctypes.c_uint32),
          _c.T_U64: ("<u8", ctypes.c_uint64), _c.T_I64: ("<i8", ctypes.c_int64),
          _c.T_F32: ("<f4", ctypes.c_float), _c.T_F64: ("<f8", ctypes.c_double)}
_TYPES = ("bool", "u8", "u16", "u32", "u64", "i64", "f32", "f64", "text", "blob", "json", "list")
_KINDS = ("records", "on_request", "child", "stats", "system")


def _type_text(about: Any) -> str:
    """"u64", "text", "list of i64"."""
    return _TYPES[about.type] + (" of " + _TYPES[about.item] if about.type == _c.T_LIST else "")


class Column(NamedTuple):
    """What a column of a table holds."""
    name: str
    type: str
    unit: Optional[str]
    nullable: bool
    hidden: bool


class _Names:
    """Texts of a column: decoded once, as the library only adds to them."""

    def __init__(self) -> None:
        self.at, self.texts = 0, []  # type: int, List[str]

    def all(self, names: Any) -> List[str]:
        address = ctypes.addressof(names.contents)
        if address != self.at:
            self.at, self.texts = address, []
        known = names.contents
        for i in range(len(self.texts), known.count):
            self.texts.append(ctypes.string_at(known.at[i], known.len[i])
                              .decode("utf-8", "surrogateescape") if known.len[i] else "")
        return self.texts


def _is_valid(column: Any, row: int) -> bool:
    return not column.valid or bool(column.valid[row >> 3] >> (row & 7) & 1)


def _plain(column: Any, kind: int, item: int, rows: int, names: _Names) -> List[Any]:
    """The values of a column as a list of Python's."""
    if kind in _FIXED:
        values = ctypes.cast(column.values, ctypes.POINTER(_FIXED[kind][1]))[:rows] if rows else []
    elif kind == _c.T_TEXT:
        codes = ctypes.cast(column.values, ctypes.POINTER(ctypes.c_uint32))
        texts = names.all(column.names)
        values = [texts[codes[i]] if _is_valid(column, i) else None for i in range(rows)]
    elif kind == _c.T_LIST:
        ends = column.offsets
        inner = _plain(column.items.contents, item, item, ends[rows], names)
        values = [inner[ends[i]:ends[i + 1]] for i in range(rows)]
    else:
        ends = column.offsets
        whole = ctypes.string_at(column.values, ends[rows]) if ends[rows] else b""
        values = [whole[ends[i]:ends[i + 1]] for i in range(rows)]
        if kind == _c.T_JSON:
            values = [value.decode("utf-8", "surrogateescape") for value in values]
    if column.valid:
        values = [value if _is_valid(column, i) else None for i, value in enumerate(values)]
    return list(values)


def _numpy(column: Any, kind: int, item: int, rows: int, names: _Names, np: Any) -> Any:
    """A copy of the column: an array, masked where a value is null; objects for text, bytes and
    lists, with None for null."""
    mask = None
    if column.valid:
        bits = np.ctypeslib.as_array(column.valid, shape=((rows + 7) // 8,))
        mask = np.unpackbits(bits, bitorder="little", count=rows) == 0
    if kind in _FIXED:
        raw = (ctypes.c_char * (rows * ctypes.sizeof(_FIXED[kind][1]))).from_address(column.values)
        array = np.frombuffer(raw, dtype=_FIXED[kind][0], count=rows).copy()
        return array if mask is None else np.ma.MaskedArray(array, mask)
    if kind == _c.T_TEXT:
        raw = (ctypes.c_char * (rows * 4)).from_address(column.values)
        codes = np.frombuffer(raw, dtype="<u4", count=rows)
        texts = np.array(names.all(column.names) + [None], dtype=object)
        return texts[codes if mask is None else np.where(mask, len(texts) - 1, codes)]
    array = np.empty(rows, dtype=object)
    array[:] = _plain(column, kind, item, rows, names)
    return array


class Batch:
    """Some rows of a table. It is valid until the next one is read; what its methods return is
    copied."""

    def __init__(self, table: "Table", batch: Any, names: List[_Names]) -> None:
        self._table, self._batch, self._names = table, batch, names
        self.rows = batch.selected_count if batch.selected else batch.rows

    def __len__(self) -> int:
        return self.rows

    def _columns(self) -> Iterator[Tuple[str, Any, int, int, _Names]]:
        for i, about in enumerate(self._table._chosen):
            yield (_c.name(about.name), self._batch.columns[i], about.type, about.item,
                   self._names[i])

    def to_numpy(self) -> Dict[str, Any]:
        """Each column by its name."""
        import numpy as np
        rows, found = self._batch.rows, {}
        chosen = None
        if self._batch.selected:
            chosen = np.ctypeslib.as_array(self._batch.selected,
                                           shape=(self._batch.selected_count,))
        for name, column, kind, item, names in self._columns():
            array = _numpy(column, kind, item, rows, names, np)
            found[name] = array if chosen is None else array[chosen]
        return found

    def to_pydict(self) -> Dict[str, List[Any]]:
        """Each column by its name, as lists: slow, and without NumPy."""
        rows, found = self._batch.rows, {}
        chosen = self._batch.selected[:self._batch.selected_count] if self._batch.selected else None
        for name, column, kind, item, names in self._columns():
            values = _plain(column, kind, item, rows, names)
            found[name] = values if chosen is None else [values[i] for i in chosen]
        return found


class Table:
    """A table of a trace: Trace.table() makes it.

    It is read anew by each of its methods. Rows that do not fulfil `where`, or lie outside the
    range, are not delivered.
    """

    def __init__(self, trace: "Trace", name: str, columns: Optional[Sequence[str]],
                 where: Optional[str], axis: Optional[str], start: Optional[int],
                 stop: Optional[int], streams: Optional[Sequence[int]], stats: bool) -> None:
        self._trace = trace
        self._tables = trace._tables_of(stats or name.startswith("stats_"))
        found = _c.lib.ras_table_of(self._tables, _c.raw(name))
        if not found:
            from . import RastrumError
            raise RastrumError(_c.ENAME, "no table is called %r: there are %s" % (
                name, ", ".join(trace.tables)), None)
        about = found.contents
        self.name: str = _c.name(about.name)
        self.kind: str = _KINDS[about.kind]
        self._all = [about.columns[i] for i in range(about.column_count)]
        self._indexes = self._choose(columns)
        self._chosen = [self._all[i] for i in self._indexes]
        self._rows = None if about.rows == _c.NONE else int(about.rows)
        self._where, self._axis = where, axis
        self._range = (0 if start is None else start, _c.NONE if stop is None else stop)
        self._streams = list(streams) if streams is not None else None
        if axis is None and (start is not None or stop is not None):
            raise ValueError("start and stop need an axis: 'seq', 'time' or 'tick'")

    def _choose(self, columns: Optional[Sequence[str]]) -> List[int]:
        names = [_c.name(about.name) for about in self._all]
        if columns is None:
            return [i for i, about in enumerate(self._all) if not about.flags & _c.HIDDEN]
        missing = [name for name in columns if name not in names]
        if missing:
            from . import RastrumError
            raise RastrumError(_c.ENAME, "the table %s has no column %r: there are %s" % (
                self.name, missing[0], ", ".join(names)), None)
        return [names.index(name) for name in columns]

    @property
    def columns(self) -> List[Column]:
        return [Column(_c.name(about.name), _type_text(about), _c.text(about.unit),
                       bool(about.flags & _c.NULLABLE), bool(about.flags & _c.HIDDEN))
                for about in self._chosen]

    @property
    def rows(self) -> Optional[int]:
        """How many rows the whole table has, where that is known without reading it."""
        return self._rows

    def _scan(self, rows: int) -> Tuple[Any, List[Any]]:
        """What the library reads, and what must live as long."""
        scan = _c.ColumnsScan(struct_size=_c.sizeof(_c.ColumnsScan), table=_c.raw(self.name),
                              rows=rows, axis=_c.AXES[self._axis], from_=self._range[0],
                              to=self._range[1])
        indexes = (_c.c_uint16 * len(self._indexes))(*self._indexes)
        scan.columns, scan.column_count = indexes, len(self._indexes)
        scan.no_columns = not self._indexes
        held: List[Any] = [indexes]
        if self._streams is not None:
            streams = (_c.c_uint32 * max(1, len(self._streams)))(*self._streams)
            scan.streams, scan.stream_count = streams, len(self._streams)
            held.append(streams)
        if self._where is not None:
            where = _Where(self._where)
            scan.where = where.pointer
            held.append(where)
        return scan, held

    def batches(self, rows: int = 65536) -> Iterator[Batch]:
        """Batch by batch, in constant memory."""
        scan, held = self._scan(rows)
        reader = _c.c_void_p()
        _c.checked(_c.lib.ras_columns_open, _c.byref(reader), self._tables, _c.byref(scan))
        names = [_Names() for _ in self._chosen]
        try:
            batch = _c.POINTER(_c.Batch)()
            while _c.checked(_c.lib.ras_columns_next, reader, _c.byref(batch)) == _c.OK:
                yield Batch(self, batch.contents, names)
        finally:
            _c.lib.ras_columns_close(reader)
            del held
        self._trace._ended()

    def to_numpy(self) -> Dict[str, Any]:
        """Each column of the whole table by its name."""
        import numpy as np
        parts = [batch.to_numpy() for batch in self.batches()]
        found = {}
        for about in self._chosen:
            name = _c.name(about.name)
            arrays = [part[name] for part in parts]
            masked = any(isinstance(array, np.ma.MaskedArray) for array in arrays)
            empty = np.empty(0, dtype=_FIXED[about.type][0] if about.type in _FIXED else object)
            join = np.ma.concatenate if masked else np.concatenate
            found[name] = join(arrays) if arrays else empty
        return found

    def to_pydict(self) -> Dict[str, List[Any]]:
        """The same as lists, without NumPy."""
        found: Dict[str, List[Any]] = {_c.name(about.name): [] for about in self._chosen}
        for batch in self.batches():
            for name, values in batch.to_pydict().items():
                found[name] += values
        return found

    def to_pandas(self) -> Any:
        """A DataFrame. Whole numbers that may be null are of pandas' nullable types."""
        import numpy as np
        import pandas as pd
        found = {}
        for name, array in self.to_numpy().items():
            if isinstance(array, np.ma.MaskedArray):
                mask = np.ma.getmaskarray(array)
                if array.dtype.kind == "f":
                    array = array.filled(np.nan)
                elif array.dtype.kind == "b":
                    array = pd.arrays.BooleanArray(array.data.copy(), mask)
                else:
                    array = pd.arrays.IntegerArray(array.data.copy(), mask)
            found[name] = array
        return pd.DataFrame(found, columns=[_c.name(about.name) for about in self._chosen])

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's PyCapsule interface: pyarrow.table(t), polars.from_arrow(t), duckdb and others
        read it so. The trace stays open until the stream is released."""
        return _capsule(self)

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        """Row by row: for looking."""
        for batch in self.batches():
            yield from zip(*batch.to_pydict().values())

    def head(self, count: int = 10) -> List[Tuple[Any, ...]]:
        rows: List[Tuple[Any, ...]] = []
        for row in self:
            if len(rows) == count:
                break
            rows.append(row)
        return rows

    def __repr__(self) -> str:
        return "<rastrum table %s: %d columns%s>" % (
            self.name, len(self._chosen),
            "" if self._rows is None else ", %d rows" % self._rows)

    def _repr_html_(self) -> str:
        rows = self.head(20)
        return html_table([_c.name(about.name) for about in self._chosen], rows,
                          self._rows if self._where is None and self._axis is None else None)


def html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]],
               total: Optional[int] = None) -> str:
    """A small table for a notebook. Text of traces is data: it is escaped."""
    def cell(value: Any) -> str:
        shown = "" if value is None else value.hex() if isinstance(value, bytes) else str(value)
        return html.escape(shown if len(shown) <= 200 else shown[:200] + "…")
    head = "".join("<th>%s</th>" % html.escape(name) for name in columns)
    body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % cell(value) for value in row)
                   for row in rows)
    more = "" if total is None or total <= len(rows) else \
        "<p>%d of %d rows</p>" % (len(rows), total)
    return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s" % (head, body, more)


class _Where:
    def __init__(self, text: str) -> None:
        self.pointer = _c.c_void_p()
        _c.checked(_c.lib.ras_where_parse, _c.byref(self.pointer), text.encode())

    def __del__(self) -> None:
        _c.lib.ras_where_free(self.pointer)


# ---- Arrow ---------------------------------------------------------------------------------

_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_streams: Dict[int, Tuple[Any, ...]] = {}  # what a stream needs, until it is released


def _release(address: int) -> None:
    """Called by whoever consumed the stream, in any thread."""
    stream = _c.ArrowStream.from_address(address)
    own, _ = _streams.pop(stream.private_data)
    _RELEASE(own)(address)
    stream.release = None


_release_callback = _RELEASE(_release)
_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.py_object)
_capsules: Dict[int, Any] = {}

ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_CAPSULE_NAME = b"arrow_array_stream"


def _destroy(capsule: int) -> None:
    """A capsule that nobody consumed still releases its stream."""
    address = ctypes.pythonapi.PyCapsule_GetPointer(capsule, _CAPSULE_NAME)
    stream = _c.ArrowStream.from_address(address)
    if stream.release:
        _RELEASE(stream.release)(address)
    _capsules.pop(address, None)


_destroy_callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_destroy)


def _capsule(table: Table) -> Any:
    scan, held = table._scan(65536)
    stream = _c.ArrowStream()
    _c.checked(_c.lib.ras_arrow_stream, table._tables, _c.byref(scan), _c.byref(stream))
    _streams[stream.private_data] = (stream.release, (table, held))
    stream.release = ctypes.cast(_release_callback, ctypes.c_void_p).value
    address = ctypes.addressof(stream)
    _capsules[address] = stream
    return ctypes.pythonapi.PyCapsule_New(
        address, _CAPSULE_NAME, ctypes.cast(_destroy_callback, ctypes.c_void_p))

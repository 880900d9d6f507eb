"""Cells of the library as values of Python, and objects of it that are closed."""
from __future__ import annotations

import ctypes
from typing import Any, List, Tuple, TypeVar

from . import _c


Own = TypeVar("Own", bound="Closing")


class Closing:
    """What `with` closes, or the end of the object. close() may be called twice."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self: Own) -> Own:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def _scalar(cell: Any) -> Any:
    kind = cell.kind
    if kind in (_c.STR, _c.BLOB):
        raw = ctypes.string_at(cell.at, cell.count) if cell.count else b""
        return raw.decode("utf-8", "surrogateescape") if kind == _c.STR else raw
    if kind == _c.UINT:
        return cell.u
    if kind == _c.INT:
        return cell.i
    if kind == _c.BOOL:
        return bool(cell.u)
    if kind == _c.F64:
        return cell.f64
    return cell.f32 if kind == _c.F32 else None


def _pairs(keys: List[Any], values: List[Any]) -> Any:
    """A dict; the pairs as they come where a key repeats, is itself a list, or equals one of
    another type (1 and True), as dial9's maps may have it."""
    if any(isinstance(key, (list, dict)) for key in keys):
        return list(zip(keys, values))
    found = dict(zip(keys, values))
    return found if len(found) == len(keys) else list(zip(keys, values))


def value_at(cells: Any, at: int) -> Tuple[Any, int]:
    """The value of the cell at that index, and the index of the one after it and its content."""
    cell = cells[at]
    if cell.kind not in (_c.LIST, _c.MAP):
        return _scalar(cell), at + 1
    end, items = at + 1 + cell.count, []
    at += 1
    while at < end:
        item, at = value_at(cells, at)
        items.append(item)
    if cell.kind == _c.LIST:
        return items, end
    return _pairs(items[::2], items[1::2]), end


def fields_of(schema: Any, cells: Any, count: int) -> Any:
    """The fields of a record by their names."""
    names: List[str] = []
    values: List[Any] = []
    at = 0
    while at < count:
        names.append(_c.name(schema.fields[cells[at].field].name))
        value, at = value_at(cells, at)
        values.append(value)
    return _pairs(names, values)

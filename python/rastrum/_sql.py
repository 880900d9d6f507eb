"""Questions in SQL, without an import: every record type is a table."""
from __future__ import annotations

import ctypes
from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import _c
from ._table import html_table
from ._values import Closing, value_at


class Result:
    """The rows of a query."""

    def __init__(self, columns: List[str], rows: List[Tuple[Any, ...]]) -> None:
        self.columns, self.rows = columns, rows

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Tuple[Any, ...]:
        return self.rows[index]

    def to_dicts(self) -> List[Dict[str, Any]]:
        return [dict(zip(self.columns, row)) for row in self.rows]

    def to_pandas(self) -> Any:
        import pandas as pd
        return pd.DataFrame(self.rows, columns=self.columns)

    def __repr__(self) -> str:
        return "<rastrum result: %d rows of %s>" % (len(self.rows), ", ".join(self.columns))

    def _repr_html_(self) -> str:
        return html_table(self.columns, self.rows[:50], len(self.rows))


class Database(Closing):
    """Traces and runs that queries are about: connect() makes it."""

    _sql: Any = None

    def __init__(self, sources: List[Tuple[Optional[str], Any]], engine: Optional[str],
                 timeout_ms: int, max_memory: int, stats: bool) -> None:
        from . import Run, _opened
        self._opened = [_opened(source) for _, source in sources]
        rows = (_c.SqlSource * len(sources))()
        self._names = [_c.raw(name) if name else None for name, _ in sources]
        for row, name, one in zip(rows, self._names, self._opened):
            row.name = name
            if isinstance(one, Run):
                row.run = ctypes.cast(one._run, ctypes.c_void_p)
            else:
                row.trace = one._pointer()
        options = _c.SqlOptions(struct_size=_c.sizeof(_c.SqlOptions), timeout_ms=timeout_ms,
                                engine=engine.encode() if engine else None,
                                max_memory=max_memory, stats=stats)
        self._sql = _c.c_void_p()
        _c.checked(_c.sql.ras_sql_open, _c.byref(self._sql), rows, len(sources),
                   _c.byref(options))

    @property
    def notes(self) -> List[str]:
        count = _c.c_size_t()
        notes = _c.sql.ras_sql_notes(self._sql, _c.byref(count))
        return [notes[i].decode("utf-8", "replace") for i in range(count.value)]

    def execute(self, query: str) -> Result:
        """The rows of the last statement of the text."""
        text, result = query.encode(), Result([], [])
        while text:
            used, prepared = _c.c_size_t(), _c.c_void_p()
            _c.checked(_c.sql.ras_sql_prepare, _c.byref(prepared), self._sql, text, len(text),
                       _c.byref(used))
            if not prepared:
                break
            try:
                result = self._rows(prepared)
            finally:
                _c.sql.ras_sql_query_close(prepared)
            text = text[used.value:]
        for one in self._opened:
            one._ended()
        return result

    def _rows(self, prepared: Any) -> Result:
        count = _c.c_size_t()
        about = _c.sql.ras_sql_columns(prepared, _c.byref(count))
        columns = [about[i].name.decode("utf-8", "replace") for i in range(count.value)]
        cells, rows = _c.POINTER(_c.Value)(), []
        while _c.checked(_c.sql.ras_sql_next, prepared, _c.byref(cells)) == _c.OK:
            rows.append(tuple(value_at(cells, i)[0] for i in range(count.value)))
        return Result(columns, rows)

    def close(self) -> None:
        if self._sql:
            _c.sql.ras_sql_close(self._sql)
            self._sql = _c.c_void_p()


def connect(*sources: Any, engine: Optional[str] = None, timeout_ms: int = 0, max_memory: int = 0,
            stats: bool = False, **named: Any) -> Database:
    """Traces, runs or paths of them; those that are named are schemas of that name:

        connect(good="a.cdt", bad="b.cdt").execute(
            "SELECT a.tick FROM good.creature a JOIN bad.creature b USING (tick, uid) "
            "WHERE a.hp <> b.hp")
    """
    rows = [(None, source) for source in sources] + list(named.items())
    if not rows:
        raise ValueError("connect() needs a trace")
    return Database(rows, engine, timeout_ms, max_memory, stats)


def sql(query: str, *sources: Any, **options: Any) -> Result:
    """The rows of one query over traces, runs or paths of them."""
    with connect(*sources, **options) as database:
        return database.execute(query)


__all__ = ["Database", "Result", "connect", "sql"]

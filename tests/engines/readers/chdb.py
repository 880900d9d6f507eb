"""chdb.py - ask chDB, which is ClickHouse as a library. A job is {file, sql}: without SQL all of
the Parquet file, or of the Arrow stream where its name ends so, is read.
"""
import ctypes
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import rowbinary  # noqa: E402
import values  # noqa: E402

LIBRARY = os.path.join(HERE, "..", "node_modules", "@chdb", "lib-linux-x64-gnu", "libchdb.so")


class Library:
    def __init__(self):
        self.c = ctypes.CDLL(LIBRARY)
        pointer, text = ctypes.c_void_p, ctypes.c_char_p
        for name, result, takes in (("chdb_connect", pointer, [ctypes.c_int, pointer]),
                                    ("chdb_query", pointer, [pointer, text, text]),
                                    ("chdb_result_buffer", pointer, [pointer]),
                                    ("chdb_result_length", ctypes.c_size_t, [pointer]),
                                    ("chdb_result_error", text, [pointer]),
                                    ("chdb_destroy_query_result", None, [pointer])):
            function = getattr(self.c, name)
            function.restype, function.argtypes = result, takes
        words = (text * 1)(b"clickhouse")
        handle = self.c.chdb_connect(1, words)
        if not handle:
            raise RuntimeError("chDB does not start")
        self.connection = ctypes.cast(handle, ctypes.POINTER(pointer))[0]

    def ask(self, sql):
        result = self.c.chdb_query(self.connection, sql.encode(), b"RowBinaryWithNamesAndTypes")
        try:
            error = self.c.chdb_result_error(result)
            if error:
                raise RuntimeError(error.decode(errors="replace"))
            data = ctypes.string_at(self.c.chdb_result_buffer(result),
                                    self.c.chdb_result_length(result))
        finally:
            self.c.chdb_destroy_query_result(result)
        return rowbinary.get_table(data) if data else ([], [], [])


def kind_of(name):
    """As the other readers say it; a String is text where all of it is UTF-8."""
    match = rowbinary.WRAPPED.match(name)
    if match:
        return kind_of(match[2])
    return {"Bool": "bool", "String": "bytes", "Float32": "float", "Float64": "float"}.get(
        name, "int")


def main():
    library = Library()
    for job in json.load(sys.stdin):
        answer = {"file": job["file"]}
        try:
            form = "ArrowStream" if job["file"].endswith(".arrows") else "Parquet"
            sql = job.get("sql") or "SELECT * FROM file('%s', '%s')" % (
                job["file"].replace("\\", "\\\\").replace("'", "\\'"), form)
            names, kinds, rows = library.ask(sql + " SETTINGS max_threads = 1")
            answer.update(values.table([(name, kind_of(kind), [row[i] for row in rows])
                                        for i, (name, kind) in enumerate(zip(names, kinds))],
                                       job.get("limit", 1000)))
        except (RuntimeError, ValueError, rowbinary.Cut) as error:
            answer["error"] = str(error)
        print(values.to_json(answer), flush=True)
    os._exit(0)  # its threads do not end by themselves


main()

/* output.h - where bytes go, and what is found as text and JSON; part of rastrum.h.
 *
 *     struct ras_json *json;
 *     if (ras_sink_file(&sink, "out.json", RAS_REPLACE, err) == RAS_OK) {
 *         (void)!ras_json_open(&json, sink, 0, NULL); // NULL is a writer that failed
 *         ras_json_object(json, NULL);
 *         ras_json_text(json, "format", ras_format_of(trace)->name);
 *         ras_json_end(json);
 *         if (ras_json_close(json, err) < 0 || ras_sink_close(sink, err) < 0)
 *             fprintf(stderr, "%s\n", err->text);
 *     } */
#ifndef RASTRUM_OUTPUT_H
#define RASTRUM_OUTPUT_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which of the known names was meant by one that is not known: start with the unknown word, add
 * every known name, then ask for the text. Names are borrowed until then. */
enum { RAS_NEAR_MOST = 3 };
struct ras_near {
    const char *word;
    const char *names[RAS_NEAR_MOST]; /* the nearest first */
    unsigned costs[RAS_NEAR_MOST];
    size_t count;
};
RAS_API void ras_near_start(struct ras_near *near, const char *word);
RAS_API void ras_near_add(struct ras_near *near, const char *name);
/* "; did you mean 'a', 'b' or 'c'?", or "" where nothing is near; returns `text`. */
RAS_API const char *ras_near_text(const struct ras_near *near, char *text, size_t size);

/* A demangled name with its longer template arguments as <...>, into `to`, which is not
 * terminated: at most `room` bytes, whose number is returned. `len` bytes always suffice. */
RAS_API size_t ras_name_short(const char *name, size_t len, char *to, size_t room);

/* A count with its noun in words, "1 frame" or "2 frames", of nouns that are regular: the text
 * lives to the end of the statement: printf("%s\n", ras_counted(n, "frame").text). */
struct ras_counted {
    char text[96];
};
RAS_API struct ras_counted ras_counted(uint64_t count, const char *noun);

/* Where bytes go. A file sink writes beside its final name and renames on
 * close, so a half-written file never bears it; a device or a pipe is written
 * to directly. A file that exists and must not be replaced is RAS_EUSAGE with os_errno
 * EEXIST. One that is replaced gives its mode, owner and attributes to the new one; it must not
 * have other names (hard links). The first failure sticks: every later call reports it again. */
struct ras_sink;
enum ras_sink_flags { RAS_REPLACE = 1 /* a file or directory that has the name */ };
RAS_API int ras_sink_file(struct ras_sink **out, const char *path, unsigned flags,
                          struct ras_error *err) RAS_CHECKED;
/* The same for a trace, which replaces only a trace or an empty file; and for anything else,
 * which does not replace a trace. */
RAS_API int ras_sink_trace(struct ras_sink **out, const char *path, unsigned flags,
                           struct ras_error *err) RAS_CHECKED;
RAS_API int ras_sink_report(struct ras_sink **out, const char *path, unsigned flags,
                            struct ras_error *err) RAS_CHECKED;
RAS_API int ras_sink_fd(struct ras_sink **out, int fd, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_sink_memory(struct ras_sink **out, struct ras_error *err) RAS_CHECKED;
RAS_API struct ras_bytes ras_sink_bytes(const struct ras_sink *sink); /* of a memory sink */
RAS_API int ras_sink_write(struct ras_sink *sink, const void *bytes, size_t size,
                           struct ras_error *err) RAS_CHECKED;
RAS_API int ras_sink_flush(struct ras_sink *sink, struct ras_error *err) RAS_CHECKED;
/* Bytes taken so far, written out or not. */
RAS_API uint64_t ras_sink_size(const struct ras_sink *sink);
/* Replace bytes that were written before, as a header that is completed last. A
 * pipe cannot: RAS_EUNSUPPORTED. */
RAS_API int ras_sink_patch(struct ras_sink *sink, uint64_t at, const void *bytes, size_t size,
                           struct ras_error *err) RAS_CHECKED;
/* Bytes that were written before. A pipe cannot: RAS_EUNSUPPORTED; nor can a descriptor that is
 * open for writing alone. */
RAS_API int ras_sink_read(struct ras_sink *sink, uint64_t at, void *bytes, size_t size,
                          struct ras_error *err) RAS_CHECKED;
/* After a failed write: go back to `size` bytes, so that no half record stays. The
 * failure is forgotten when that works; a pipe cannot. */
RAS_API int ras_sink_rewind(struct ras_sink *sink, uint64_t size,
                            struct ras_error *err) RAS_CHECKED;
/* Flush, sync and rename (file), report what failed, free in any case. */
RAS_API int ras_sink_close(struct ras_sink *sink, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_sink_drop(struct ras_sink *sink); /* removes what was written; NULL is fine */

/* Text of a trace, a path or a message, made harmless to a terminal: how many bytes, from the
 * first, may be shown as they are, and the next character escaped. Characters that control a
 * terminal (C0, DEL, C1, bidirectional marks and overrides) become \xNN or \uNNNN, bytes that are
 * not UTF-8 \xNN. */
enum { RAS_ESCAPE_SIZE = 8 };
RAS_API size_t ras_plain_prefix(const void *text, size_t len);
/* Writes the escape of the first of `len` > 0 bytes, ending in NUL; returns how many bytes of the
 * text it is for. */
RAS_API size_t ras_plain_escape(char escape[RAS_ESCAPE_SIZE], const void *text, size_t len);
/* All of it to a sink. */
RAS_API int ras_sink_plain(struct ras_sink *sink, const void *text, size_t len,
                           struct ras_error *err) RAS_CHECKED;

/* A directory of files that belong together, such as an ATF session: made beside its
 * final name and renamed when all of it is there; or live, in its place from the
 * start, so that what was flushed outlives a crash; or in memory. */
struct ras_folder;
RAS_API int ras_folder_open(struct ras_folder **out, const char *path, unsigned flags,
                            struct ras_error *err) RAS_CHECKED;
/* The same for what is not a trace: it replaces only what ras_export() wrote, and that nothing
 * else. */
RAS_API int ras_folder_report(struct ras_folder **out, const char *path, unsigned flags,
                              struct ras_error *err) RAS_CHECKED;
RAS_API int ras_folder_live(struct ras_folder **out, const char *path,
                            struct ras_error *err) RAS_CHECKED;
RAS_API int ras_folder_memory(struct ras_folder **out, struct ras_error *err) RAS_CHECKED;
/* Begin a file of it; directories above it are made. The folder closes the sink. */
RAS_API int ras_folder_sink(struct ras_folder *folder, const char *name, struct ras_sink **out,
                            struct ras_error *err) RAS_CHECKED;
/* Close one of its sinks early: of many files few need be open at a time. */
RAS_API int ras_folder_finish(struct ras_folder *folder, struct ras_sink *sink,
                              struct ras_error *err) RAS_CHECKED;
/* Of a folder in memory: what ras_open_parts() takes, until the next call. */
RAS_API const struct ras_part *ras_folder_parts(struct ras_folder *folder, size_t *count);
/* Close every sink, sync, rename; free in any case. A directory is replaced only if every file
 * in it was made by this library: RAS_EUSAGE names the first one that was not, already when
 * the folder is opened. */
RAS_API int ras_folder_close(struct ras_folder *folder, struct ras_error *err) RAS_CHECKED;
/* Remove what was written; of a live one, the files as they are. NULL is fine. */
RAS_API void ras_folder_drop(struct ras_folder *folder);
/* Remove a directory of which every file was made by this library; RAS_EUSAGE names the first
 * one that was not, and nothing is removed. */
RAS_API int ras_folder_remove(const char *path, struct ras_error *err) RAS_CHECKED;

/* Records as text, jsonl or csv. */
struct ras_printer;
struct ras_printer_options {
    size_t struct_size;        /* sizeof, or 0: see docs/abi.md */
    const char *const *fields; /* csv and text: these columns, in this order; NULL: all */
    size_t field_count;
    bool float_bits; /* floats as {"bits":"0x...","text":"..."} */
    bool color;
    struct ras_time_writing time; /* of text; zero: raw */
    bool symbols;                 /* text: stacks as names, where the trace has them */
    bool to_terminal;             /* csv: nothing in a cell controls it; text and jsonl never do */
    bool csv_safe;                /* csv: no cell of text begins a formula of a spreadsheet */
    const char *label; /* of the trace, where several are written: borrowed; NULL: none */
};
RAS_API int ras_printer_open(struct ras_printer **out, const char *format, struct ras_trace *trace,
                             const struct ras_scan *scan, const struct ras_printer_options *options,
                             struct ras_sink *sink, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_printer_record(struct ras_printer *x, const struct ras_cursor *cursor,
                               const struct ras_record *record, struct ras_error *err) RAS_CHECKED;
/* What was said so far reaches the sink and is flushed: for --follow. */
RAS_API int ras_printer_flush(struct ras_printer *x, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_printer_close(struct ras_printer *x, struct ras_error *err) RAS_CHECKED;

/* JSON, member by member: the writer puts commas, quotes and brackets, and escapes text so that
 * the document is valid UTF-8 and controls no terminal. The first failure sticks; every function
 * accepts NULL as a writer that failed, so that only ras_json_close() needs to be checked.
 *
 *     struct ras_json *j;
 *     (void)!ras_json_open(&j, sink, 0, NULL);
 *     ras_json_object(j, NULL);
 *     ras_json_text(j, "path", path);
 *     ras_json_array(j, "ticks");
 *     for (size_t i = 0; i < count; i++)
 *         ras_json_uint(j, NULL, ticks[i]);
 *     ras_json_end(j);
 *     ras_json_end(j);                                 {"path":"a.murk","ticks":[1,2,3]}
 *     if (ras_json_close(j, &err) < 0)
 *         ...
 *
 * Inside an object every value has a key; inside an array, and at the top, the key is NULL.
 * Documents may follow each other. */
struct ras_json;
enum ras_json_style {
    RAS_JSON_SPACED = 1, /* a blank after every comma and colon */
    RAS_JSON_LINES = 2,  /* every item on a line of its own, indented by two spaces a level */
    RAS_JSON_ASCII = 4,  /* text that is not ASCII is escaped */
};
/* To a sink, or to a function that returns false when it fails. `style`: bits of the above. */
RAS_API int ras_json_open(struct ras_json **out, struct ras_sink *sink, unsigned style,
                          struct ras_error *err) RAS_CHECKED;
RAS_API int ras_json_open_callback(struct ras_json **out,
                                   bool (*write)(void *user, const void *bytes, size_t size),
                                   void *user, unsigned style, struct ras_error *err) RAS_CHECKED;
/* Free it and report what failed: RAS_EUSAGE where a container is open, a key is missing or one is
 * too many. */
RAS_API int ras_json_close(struct ras_json *json, struct ras_error *err) RAS_CHECKED;
/* What was written so far reaches the sink, which the end of a document does by itself. */
RAS_API void ras_json_flush(struct ras_json *json);

RAS_API void ras_json_object(struct ras_json *json, const char *key);
RAS_API void ras_json_array(struct ras_json *json, const char *key);
RAS_API void ras_json_end(struct ras_json *json); /* of the innermost object or array */
RAS_API void ras_json_text(struct ras_json *json, const char *key, const char *text); /* or null */
RAS_API void ras_json_string(struct ras_json *json, const char *key, const void *bytes,
                             size_t size);
RAS_API void ras_json_uint(struct ras_json *json, const char *key, uint64_t value);
RAS_API void ras_json_int(struct ras_json *json, const char *key, int64_t value);
RAS_API void ras_json_double(struct ras_json *json, const char *key, double value);
RAS_API void ras_json_bool(struct ras_json *json, const char *key, bool value);
RAS_API void ras_json_null(struct ras_json *json, const char *key);
/* null for RAS_NONE; a string "0x002a" of at least `digits` digits; bytes as hexadecimal digits. */
RAS_API void ras_json_uint_or_null(struct ras_json *json, const char *key, uint64_t value);
RAS_API void ras_json_hex(struct ras_json *json, const char *key, uint64_t value, unsigned digits);
RAS_API void ras_json_blob(struct ras_json *json, const char *key, const void *bytes, size_t size);
/* A value of a record, with the flags of its field. */
RAS_API void ras_json_cell(struct ras_json *json, const char *key, const struct ras_value *value,
                           unsigned flags);
/* Text that is JSON already. */
RAS_API void ras_json_raw(struct ras_json *json, const char *key, const void *text, size_t size);
/* The sink, for one value that the caller writes to it by other means. */
RAS_API struct ras_sink *ras_json_sink(struct ras_json *json, const char *key);
/* Layout: the next item, or the end of its container, begins a line with `indent` spaces; and a
 * line ends here, as after a document. */
RAS_API void ras_json_line(struct ras_json *json, unsigned indent);
RAS_API void ras_json_newline(struct ras_json *json);

/* The answers of the verbs as JSON documents, newline last. */
RAS_API int ras_formats_json(struct ras_sink *sink, struct ras_error *err) RAS_CHECKED;
/* Every rule there is, as `verify --rules --json` prints them. */
RAS_API int ras_rules_json(struct ras_sink *sink, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_info_json(struct ras_sink *sink, const char *path, const struct ras_info *info,
                          struct ras_error *err) RAS_CHECKED;
RAS_API int ras_du_json(struct ras_sink *sink, const char *path, const struct ras_trace *trace,
                        const struct ras_du *du, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_report_json(struct ras_sink *sink, const char *path, const struct ras_trace *trace,
                            const struct ras_report *report, bool strict,
                            struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif

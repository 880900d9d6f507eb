/* cmd_blob.c - the blobs of an AeroGPU trace: a list of them, or one of them as it is. */
#include "cli/pictures.h"
#include "cli/session.h"
#include <rastrum/aerogpu.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct common common;
    bool list, png;
    const char *size;
};

static const char *kind_of(const struct ras_aero_blob *blob)
{
    const char *name = ras_aero_blob_kind_name(blob->kind);
    return name ? name : "unknown";
}

/* UTF-8 without control characters but those of lines: what a terminal may be shown. */
static bool is_text(struct ras_bytes b)
{
    for (size_t i = 0; i < b.len; i++) {
        i += ras_plain_prefix(b.at + i, b.len - i);
        if (i < b.len && b.at[i] != '\n' && b.at[i] != '\r' && b.at[i] != '\t')
            return false;
    }
    return true;
}

static void put_row(struct answer *a, bool json, size_t i, const struct ras_aero_blob *blob,
                    uint64_t offset)
{
    if (json)
        answer_format(a,
                      "%s\n  {\"blob_id\":%" PRIu64 ",\"kind\":%" PRIu32
                      ",\"kind_name\":\"%s\",\"size\":%zu,\"offset\":%" PRIu64 ",\"text\":%s}",
                      i ? "," : "", blob->blob_id, blob->kind, kind_of(blob), blob->data.len,
                      offset, is_text(blob->data) ? "true" : "false");
    else
        answer_format(a, "%s%7" PRIu64 " %-17s %10zu %12" PRIu64 "\n",
                      i ? "" : "blob_id kind                    size       offset\n", blob->blob_id,
                      kind_of(blob), blob->data.len, offset);
}

static int list(const struct options *o, struct ras_trace *trace, struct answer *a,
                struct ras_error *err)
{
    struct ras_aero_blob blob;
    uint64_t offset;
    size_t i = 0;
    int status = ras_aero_blob_at(trace, 0, &blob, &offset, err);
    if (status < 0)
        return status;
    if (o->common.json)
        answer_format(a, "{\"blobs\":[");
    for (; status == RAS_OK; status = ras_aero_blob_at(trace, ++i, &blob, &offset, err))
        put_row(a, o->common.json, i, &blob, offset);
    if (o->common.json)
        answer_format(a, "]}\n");
    return status < 0 ? status : RAS_OK;
}

/* Text as it is, other bytes in hex. */
static int put_document(struct answer *a, const struct ras_aero_blob *blob)
{
    bool text = is_text(blob->data);
    char *copy = strndup(blob->data.len ? (const char *)blob->data.at : "", blob->data.len);
    if (!copy)
        return trouble("out of memory");
    answer_format(a,
                  "{\"blob_id\":%" PRIu64 ",\"kind\":%" PRIu32
                  ",\"kind_name\":\"%s\",\"size\":%zu,\"text\":%s,\"data\":",
                  blob->blob_id, blob->kind, kind_of(blob), blob->data.len,
                  text ? "true" : "false");
    if (text)
        answer_string(a, copy);
    else
        answer_format(a, "\"");
    for (size_t i = 0; !text && i < blob->data.len; i++)
        answer_format(a, "%02x", blob->data.at[i]);
    answer_format(a, text ? "}\n" : "\"}\n");
    free(copy);
    return EXIT_YES;
}

/* A blob does not know the size of its picture: four bytes a pixel, rows from the top. */
static int put_picture(const struct options *o, const struct ras_aero_blob *blob, struct answer *a)
{
    struct ras_picture p = {0};
    struct ras_error err;
    if (!o->size)
        return trouble("--png needs --size WxH: a blob does not tell the size of its picture");
    if (read_size(o->size, &p.width, &p.height))
        return EXIT_TROUBLE;
    uint64_t size = (uint64_t)p.width * p.height * 4;
    if (size != blob->data.len)
        return trouble("blob %" PRIu64 " (%s) has %zu bytes, a picture of %" PRIu32 "x%" PRIu32
                       " RGBA pixels has %" PRIu64,
                       blob->blob_id, kind_of(blob), blob->data.len, p.width, p.height, size);
    if (!a->to_file && isatty(STDOUT_FILENO))
        return trouble("a PNG file is no text: write it to a file with -o");
    p.rgba = blob->data.at;
    return ras_png_put(a->sink, &p, &err) < 0 ? trouble_with(&err) : EXIT_YES;
}

/* Text may go to a terminal, other bytes only to a file or a pipe. */
static int extract(const struct options *o, const char *path, struct ras_trace *trace,
                   struct answer *a, uint64_t blob_id)
{
    struct ras_aero_blob blob;
    struct ras_error err;
    int status = ras_aero_blob(trace, blob_id, &blob, &err);
    if (status < 0)
        return trouble_at(path, &err);
    if (status == RAS_END) {
        remark(o->common.quiet, "%s: there is no blob %" PRIu64, shown_path(path), blob_id);
        return EXIT_NO;
    }
    if (o->png)
        return put_picture(o, &blob, a);
    if (o->common.json)
        return put_document(a, &blob);
    if (!a->to_file && isatty(STDOUT_FILENO) && !is_text(blob.data))
        return trouble("blob %" PRIu64 " (%s) is no text: write it to a file with -o", blob_id,
                       kind_of(&blob));
    return ras_sink_write(a->sink, blob.data.at, blob.data.len, &err) < 0 ? trouble_with(&err)
                                                                          : EXIT_YES;
}

/* The list of blobs is made without a walk: how the trace ends is known after one. */
static int say_how_it_ends(const struct options *o, const char *path, struct ras_trace *trace)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *record;
    struct ras_cursor *cursor;
    struct ras_error err;
    int status = ras_cursor_open(&cursor, trace, &scan, &err);
    while (status == RAS_OK)
        status = ras_next(cursor, &record, &err);
    ras_cursor_close(cursor);
    if (status < 0)
        return trouble_at(path, &err);
    struct ras_ending ending = ras_ending(trace);
    return say_ending(path, trace, &ending, o->common.quiet);
}

static int answer_with(const struct options *o, const char *path, struct answer *a)
{
    const struct list *words = &o->common.operands;
    struct ras_error err;
    int64_t id = 0;
    bool listed = words->count == 1;
    if (!listed && (!integer_parse(words->items[1], &id) || id < 0))
        return trouble("%s is not a blob id; `rastrum blob %s` lists them", words->items[1],
                       shown_path(path));
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    if (strcmp(ras_format_of(trace)->name, "aerogpu") != 0) {
        int wrong = only_for("blob", "AeroGPU traces", path, trace, "rastrum cat %s", path);
        ras_close(trace);
        return wrong;
    }
    int status = listed ? EXIT_YES : extract(o, path, trace, a, (uint64_t)id);
    if (listed && list(o, trace, a, &err) < 0)
        status = trouble_at(path, &err);
    answer_flush(a);
    if (status != EXIT_TROUBLE)
        status = worse(status, say_how_it_ends(o, path, trace));
    ras_close(trace);
    return status;
}

static int run(void *options)
{
    const struct options *o = options;
    struct answer a;
    if (!o->common.operands.count || o->common.operands.count > (o->list ? 1 : 2))
        return trouble("blob takes TRACE to list its blobs, or TRACE ID");
    if ((o->png || o->size) && (o->common.operands.count < 2 || !o->png || o->common.json))
        return trouble("--png --size WxH is for TRACE ID, without --json");
    int status = answer_open(&a, &o->common);
    if (status)
        return status;
    return answer_close(&a, answer_with(o, o->common.operands.items[0], &a));
}

static const struct option_row rows[] = {
    {"list", 'l', OPTION_FLAG, NULL, "list every blob, as without ID: id, kind, size, offset", NULL,
     offsetof(struct options, list)},
    {"png", 0, OPTION_FLAG, NULL, "write the blob as a PNG file: its bytes are RGBA pixels", NULL,
     offsetof(struct options, png)},
    {"size", 0, OPTION_TEXT, "WxH", "with --png: pixels across and down", NULL,
     offsetof(struct options, size)},
    {0},
};

const struct command cmd_blob = {
    .name = "blob",
    .operands = "TRACE [ID]",
    .about = "list the blobs of an AeroGPU trace, or extract one",
    .text = "A blob is what commands refer to: vertices, textures, shaders, command streams. Its\n"
            "bytes are written as they are; shader text can be read on the terminal. Where an id\n"
            "stands for several blobs, the last one is meant.\n",
    .examples = "rastrum blob game.aerogputrace\n"
                "rastrum blob game.aerogputrace 2\n"
                "rastrum blob game.aerogputrace 1 -o vertices.bin\n"
                "rastrum blob game.aerogputrace 7 --png --size 256x256 -o texture.png\n",
    .exits = "0 done; 1 there is no such blob; 2 error; 3 done, but the trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "aerogpu",
    .reads = true,
    .run = run,
};

/* cmd_blob.c - the blobs of an AeroGPU trace: a list of them, or one of them as it is. */
#include "cli/session.h"
#include <rastrum/aerogpu.h>

#include <inttypes.h>
#include <stddef.h>
#include <unistd.h>

struct options {
    struct common common;
    bool list;
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
    if (!a->to_file && isatty(STDOUT_FILENO) && !is_text(blob.data))
        return trouble("blob %" PRIu64 " (%s) is no text: write it to a file with -o", blob_id,
                       kind_of(&blob));
    return ras_sink_write(a->sink, blob.data.at, blob.data.len, &err) < 0 ? trouble_with(&err)
                                                                          : EXIT_YES;
}

static int answer_with(const struct options *o, const char *path, struct answer *a)
{
    const struct list *words = &o->common.operands;
    struct ras_error err;
    int64_t id = 0;
    if (!o->list && (!integer_parse(words->items[1], &id) || id < 0))
        return trouble("%s is no blob id", words->items[1]);
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    int status = o->list ? EXIT_YES : extract(o, path, trace, a, (uint64_t)id);
    if (o->list && list(o, trace, a, &err) < 0)
        status = trouble_at(path, &err);
    ras_close(trace);
    return status;
}

static int run(void *options)
{
    const struct options *o = options;
    struct answer a;
    if (o->common.operands.count != (o->list ? 1 : 2))
        return trouble("blob takes TRACE --list, or TRACE ID");
    int status = answer_open(&a, &o->common);
    if (status)
        return status;
    return answer_close(&a, answer_with(o, o->common.operands.items[0], &a));
}

static const struct option_row rows[] = {
    {"list", 'l', OPTION_FLAG, NULL, "list every blob: id, kind, size, offset of its record", NULL,
     offsetof(struct options, list)},
    {0},
};

const struct command cmd_blob = {
    .name = "blob",
    .operands = "TRACE [ID]",
    .about = "list the blobs of an AeroGPU trace, or extract one",
    .text = "A blob is what commands refer to: vertices, textures, shaders, command streams. Its\n"
            "bytes are written as they are; shader text can be read on the terminal. Where an id\n"
            "stands for several blobs, the last one is meant.\n",
    .examples = "rastrum blob game.aerogputrace --list\n"
                "rastrum blob game.aerogputrace 2\n"
                "rastrum blob game.aerogputrace 1 -o vertices.bin\n",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "aerogpu",
    .reads = true,
    .run = run,
};

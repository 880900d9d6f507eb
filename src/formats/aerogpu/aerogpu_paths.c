/* aerogpu_paths.c - every path that a comparison of AeroGPU traces may tell: see
 * aerogpu_compare_records.c and aerogpu_compare_fields.c, which make them. */
#include "formats/aerogpu/aerogpu_compare.h"

#include <stdio.h>
#include <string.h>

enum { PATH = 160 };

static void add_field(struct known_paths *k, const char *base, const struct ras_aero_field *f)
{
    bool list = f->flags & RAS_AERO_LIST;
    if (list && f->type == RAS_AERO_STRUCT) {
        for (const struct ras_aero_field *at = f->item; at->type != RAS_AERO_END; at++) {
            char below[PATH];
            snprintf(below, sizeof below, "%s.%s[*]", base, f->name);
            add_field(k, below, at);
        }
        return;
    }
    paths_add(k, list ? "%s.%s[*]" : "%s.%s", base, f->name);
    if (f->alias)
        paths_add(k, "%s.%s", base, f->alias);
}

/* The first form of an opcode that has several. */
static const struct ras_aero_op *first_form(const struct ras_aero_op *op,
                                            const struct ras_aero_op *(*op_at)(size_t))
{
    size_t i = 0;
    while (strcmp(op_at(i)->name, op->name) != 0)
        i++;
    return op_at(i);
}

static bool has_field(const struct ras_aero_op *op, const struct ras_aero_field *field)
{
    const struct ras_aero_field *f = op->fields;
    while (f->type != RAS_AERO_END && strcmp(f->name, field->name) != 0)
        f++;
    return f->type != RAS_AERO_END;
}

/* The fields of packets, or of commands; what no table knows is a payload. */
static void add_ops(struct known_paths *k, const char *base,
                    const struct ras_aero_op *(*op_at)(size_t))
{
    const struct ras_aero_op *op;
    for (size_t i = 0; (op = op_at(i)); i++) {
        char below[PATH];
        const struct ras_aero_op *first = first_form(op, op_at);
        snprintf(below, sizeof below, "%s.%s", base, op->name);
        for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++)
            if (op == first || !has_field(first, f))
                add_field(k, below, f);
        if (op != first)
            continue;
        paths_add(k, "%s.payload", below);
        paths_add(k, "%s.padding", below);
        paths_add(k, "%s.trailing", below);
    }
    paths_add(k, "%s.0x*.payload", base);
}

static void add_names(struct known_paths *k, const char *base, const char *const *names)
{
    for (; *names; names++)
        paths_add(k, "%s.%s", base, *names);
}

void aero_paths(struct ras_trace *t, enum ras_paths of, struct known_paths *k)
{
    static const char *const header[] = {"container_version", "command_abi_version", "flags",
                                         "reserved",          "meta_json",           NULL};
    static const char *const stream[] = {"abi_version", "flags", "reserved0", "reserved1",
                                         "trailing",    "bytes", NULL};
    static const char *const table[] = {"abi_version", "entry_stride", "reserved0", NULL};
    static const char *const entry[] = {"alloc_id",  "flags",    "gpa", "size_bytes",
                                        "reserved0", "trailing", NULL};
    static const char *const range[] = {"alloc_id", "flags", "gpa", "size_bytes", "blob_id", NULL};
    static const char *const submission[] = {"record_version",
                                             "submit_flags",
                                             "context_id",
                                             "engine_id",
                                             "reserved0",
                                             "signal_fence",
                                             "reserved1",
                                             "cmd_stream_blob_id",
                                             "alloc_table",
                                             "memory_ranges",
                                             "extension",
                                             "trailing",
                                             NULL};
    (void)t;
    if (of != RAS_PATHS_DIFF)
        return;
    add_names(k, "header", header);
    add_ops(k, "packets[*]", ras_aero_packet_op_at);
    add_names(k, "packets[*].stream", stream);
    paths_add(k, "packets[*].bytes");
    add_ops(k, "packets[*].commands[*]", ras_aero_command_op_at);
    add_names(k, "submissions[*]", submission);
    add_names(k, "submissions[*].stream", stream);
    add_names(k, "submissions[*].alloc_table", table);
    add_names(k, "submissions[*].alloc_table.entries[*]", entry);
    add_names(k, "submissions[*].memory_ranges[*]", range);
    add_ops(k, "submissions[*].commands[*]", ras_aero_command_op_at);
    paths_add(k, "blobs[*].data");
    paths_add(k, "gaps[*].bytes");
    paths_add(k, "present");
    add_names(k, "stream", stream);
    add_ops(k, "commands[*]", ras_aero_command_op_at);
    add_names(k, "table", table);
    add_names(k, "entries[*]", entry);
}

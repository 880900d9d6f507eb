/* export_fuzz.c - any bytes as a timeline and as tables: every target writes what can be walked,
 * and JSON that is valid. */
#include "fuzz.h"
#include <rastrum/export.h>
#include <rastrum/sql.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Text that a JSON document may hold, and brackets that match outside of it. */
static void check_json(const char *target, struct ras_bytes text)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.at[i];
        if (quoted && c < 0x20)
            fuzz_wrong("%s: byte %u in a string at %zu", target, c, i);
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            depth++;
        else if (!quoted && (c == '}' || c == ']') && !depth--)
            fuzz_wrong("%s: a bracket too many at %zu", target, i);
    }
    if (quoted || depth)
        fuzz_wrong("%s: the document does not end", target);
}

static void export_to(struct ras_trace *t, const struct ras_export_target *target)
{
    struct ras_export_options how = {.target = target->name, .sqlite = ras_sql_table_writer()};
    struct ras_export_result *result;
    struct ras_error err;
    if (target->is_folder || target->is_per_table ? ras_folder_memory(&how.folder, &err) < 0
                                                  : ras_sink_memory(&how.sink, &err) < 0)
        return;
    int status = ras_export(&result, t, &how, &err);
    if (status < 0 && status != RAS_EMEMORY && status != RAS_ELIMIT)
        fuzz_wrong("walked, but cannot be exported to %s: %s", target->name, err.text);
    if (status == RAS_OK && how.sink && strstr(target->extension, "json"))
        check_json(target->name, ras_sink_bytes(how.sink));
    ras_export_result_free(result);
    ras_folder_drop(how.folder);
    ras_sink_drop(how.sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct ras_trace *t;
    struct ras_info *info;
    const struct ras_export_target *target;
    const struct ras_options options = {.limits = {.chunk_bytes = 1 << 24}};
    if (ras_open_memory(&t, bytes, size, &options, NULL) < 0)
        return 0;
    if (ras_info(&info, t, NULL, NULL, NULL) == RAS_OK)
        for (size_t i = 0; (target = ras_export_target_at(i)) != NULL; i++)
            if (target->kind == RAS_EXPORT_TIMELINE || target->is_per_table || target->needs_file)
                export_to(t, target);
    ras_info_free(info);
    ras_close(t);
    return 0;
}

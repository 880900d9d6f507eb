/* atf_sources.c - the manifest's member "sources": the source file and line of each function.
 *
 * The specification has no such member, and readers ignore what they do not know. It is an array
 * of {"function_id", "file", "line"}; files are as the compiler was given them. */
#include "base/memory.h"
#include "codec/json_read.h"
#include "formats/atf/atf_manifest.h"
#include "formats/atf/atf_write.h"

#include <stdlib.h>
#include <string.h>

static bool take_source(struct json_read *in, struct atf_manifest *m, struct atf_source *s)
{
    struct json_token key, value;
    uint64_t number;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        if (JSON_IS(&key, "function_id"))
            s->is_known = atf_manifest_number(&value, &s->function_id);
        else if (JSON_IS(&key, "file"))
            s->file = atf_manifest_keep_text(m, &value);
        else if (JSON_IS(&key, "line") && json_u64_of(&value, &number) && number <= UINT32_MAX)
            s->line = (uint32_t)number;
        if (!json_read_skip(in, &value))
            return false;
    }
    return true;
}

static int source_order(const void *a, const void *b)
{
    const struct atf_source *x = a, *y = b;
    return x->function_id < y->function_id ? -1 : x->function_id > y->function_id;
}

bool atf_manifest_sources(struct atf_manifest *m, struct ras_bytes sources)
{
    struct json_read in = json_read_bytes(sources);
    struct json_token value;
    m->source_count = 0;
    if (json_read_next(&in, &value) != JSON_ARRAY)
        return true;
    while (json_read_next(&in, &value) != JSON_ARRAY_END) {
        struct atf_source s = {.is_known = false};
        if (value.kind == JSON_OBJECT ? !take_source(&in, m, &s) : !json_read_skip(&in, &value))
            break;
        if (!s.is_known || !s.file || !s.line)
            continue;
        if (!array_grow(&m->sources, &m->source_room, m->source_count + 1, sizeof s))
            return false;
        m->sources[m->source_count++] = s;
    }
    if (m->source_count)
        qsort(m->sources, m->source_count, sizeof *m->sources, source_order);
    return true;
}

const struct atf_source *atf_manifest_source(const struct atf_manifest *m, uint64_t function_id)
{
    const struct atf_source key = {.function_id = function_id};
    return m->source_count
               ? bsearch(&key, m->sources, m->source_count, sizeof *m->sources, source_order)
               : NULL;
}

void atf_sources_put(struct json *j, const struct atf_source *sources, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!sources[i].file)
            continue;
        if (!any) {
            atf_member_line(j);
            json_array(j, "sources");
        }
        any = true;
        json_line(j, 4);
        json_object(j, NULL);
        json_hex(j, "function_id", sources[i].function_id, 16);
        atf_manifest_text(j, "file", sources[i].file, strlen(sources[i].file));
        json_uint(j, "line", sources[i].line);
        json_close(j);
    }
    if (any)
        json_close(j);
}

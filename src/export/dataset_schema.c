/* dataset_schema.c - the columns of a dataset's tables: never fewer, and only wider. */
#include "base/error.h"
#include "base/file.h"
#include "base/os.h"
#include "codec/json_read.h"
#include "codec/json_write.h"
#include "core/sink.h"
#include "export/dataset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCHEMA_PATH = 4096, TABLE_NAME = 300 };

/* ---- widening ------------------------------------------------------------------------------ */

/* The type that holds the values of both; false: only JSON would. */
static bool widest(enum ras_type a, enum ras_type b, enum ras_type *out)
{
    enum ras_type low = a < b ? a : b, high = a < b ? b : a;
    *out = high;
    if (a == b)
        return true;
    if (low < RAS_T_U8 || high > RAS_T_F64) /* bool, text, bytes, JSON and lists stay as they are */
        return false;
    if (high <= RAS_T_U64)
        return true;
    if (high == RAS_T_I64)
        return low <= RAS_T_U32;
    *out = RAS_T_F64;
    return low == RAS_T_F32 || low <= RAS_T_U32;
}

static struct known_column *column_find(const struct known_table *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (!strcmp(t->columns[i].name, name))
            return &t->columns[i];
    return NULL;
}

static bool table_fits(const struct known_table *t, const struct ras_column_about *columns,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct known_column *k = column_find(t, columns[i].name);
        enum ras_type both;
        if (k && !(widest(k->type, columns[i].type, &both) &&
                   (k->type != RAS_T_LIST || widest(k->item, columns[i].item, &both))))
            return false;
    }
    return true;
}

static bool column_add(struct known_table *t, const char *name, enum ras_type type,
                       enum ras_type item, bool nullable)
{
    if (!array_grow(&t->columns, &t->room, t->count + 1, sizeof *t->columns))
        return false;
    char *copy = text_copy(name, strlen(name));
    if (!copy)
        return false;
    t->columns[t->count++] = (struct known_column){copy, type, item, nullable};
    t->changed = true;
    return true;
}

/* Columns that are new, wider or nullable; one that others had and this lacks is nullable, too. */
static bool widen_table(struct known_table *t, const struct ras_column_about *columns, size_t count)
{
    bool is_new = !t->count;
    for (size_t i = 0; i < count; i++) {
        const struct ras_column_about *c = &columns[i];
        struct known_column *k = column_find(t, c->name);
        bool nullable = c->flags & RAS_NULLABLE || (!k && !is_new);
        enum ras_type type = c->type, item = c->item;
        if (!k) {
            if (!column_add(t, c->name, c->type, c->item, nullable))
                return false;
            continue;
        }
        (void)widest(k->type, c->type, &type);
        (void)widest(k->item, c->item, &item);
        t->changed |= type != k->type || item != k->item || (nullable && !k->nullable);
        *k = (struct known_column){k->name, type, item, k->nullable || nullable};
    }
    return true;
}

/* ---- files of _schema ---------------------------------------------------------------------- */

static bool schema_path(const struct manifest *m, const char *table, char path[SCHEMA_PATH])
{
    char plain[PLAIN_NAME], name[PLAIN_NAME + 20];
    file_name_plain(table, plain);
    snprintf(name, sizeof name, "_schema/%s.json", plain);
    return path_join(path, SCHEMA_PATH, m->folder, name, NULL) == RAS_OK;
}

static enum ras_type type_of(struct ras_bytes name)
{
    for (enum ras_type t = RAS_T_BOOL; t <= RAS_T_LIST; t++)
        if (strlen(ras_type_name(t)) == name.len && !memcmp(ras_type_name(t), name.at, name.len))
            return t;
    return RAS_T_JSON;
}

static bool key_is(const struct json_token *key, const char *name)
{
    return key->span.len == strlen(name) && !memcmp(key->span.at, name, key->span.len);
}

static bool read_column(struct known_table *t, struct json_read *in)
{
    struct json_token key, value;
    char name[1100] = "";
    enum ras_type type = RAS_T_JSON, item = RAS_T_BOOL;
    bool nullable = true;
    while (json_read_next(in, &key) == JSON_KEY) {
        size_t len = 0;
        json_read_next(in, &value);
        if (key_is(&key, "column") && value.kind == JSON_STRING && value.span.len < sizeof name &&
            json_read_text(in, &value, name, sizeof name - 1, &len))
            name[len] = 0;
        else if (key_is(&key, "type"))
            type = type_of(value.span);
        else if (key_is(&key, "item"))
            item = type_of(value.span);
        else if (key_is(&key, "nullable"))
            nullable = value.truth;
    }
    return column_add(t, name, type, item, nullable);
}

/* What an earlier run wrote; nothing where there is none. */
static bool read_schema(const struct manifest *m, struct known_table *t)
{
    char path[SCHEMA_PATH];
    struct os_about about;
    int fd = schema_path(m, t->name, path) ? os_open(path, OS_READ) : -1;
    if (fd < 0)
        return true;
    uint8_t *bytes = os_about_fd(fd, &about) == 0 ? malloc((size_t)about.size + 1) : NULL;
    int64_t got = bytes ? file_read_at(fd, bytes, (size_t)about.size, 0, NULL) : -1;
    bool ok = got >= 0;
    struct json_token key, value;
    struct json_read in = json_read_bytes((struct ras_bytes){bytes, ok ? (size_t)got : 0});
    if (ok && json_read_next(&in, &key) == JSON_OBJECT)
        while (ok && json_read_next(&in, &key) == JSON_KEY) {
            json_read_next(&in, &value);
            if (!key_is(&key, "columns") || value.kind != JSON_ARRAY) {
                ok = json_read_skip(&in, &value);
                continue;
            }
            while (ok && json_read_next(&in, &value) == JSON_OBJECT)
                ok = read_column(t, &in);
        }
    t->changed = false;
    os_close(fd);
    free(bytes);
    return ok;
}

static int write_table_schema(const struct manifest *m, struct known_table *t,
                              struct ras_error *err)
{
    char path[SCHEMA_PATH];
    struct ras_sink *sink;
    struct out out = {0};
    struct json j = json_start(&out, 0);
    json_object(&j, NULL);
    json_uint(&j, "version", 1);
    json_text(&j, "table", t->name);
    json_array(&j, "columns");
    for (size_t i = 0; i < t->count; i++) {
        json_object(&j, NULL);
        json_text(&j, "column", t->columns[i].name);
        json_text(&j, "type", ras_type_name(t->columns[i].type));
        if (t->columns[i].type == RAS_T_LIST)
            json_text(&j, "item", ras_type_name(t->columns[i].item));
        json_bool(&j, "nullable", t->columns[i].nullable);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    out_text(&out, "\n");
    if (!schema_path(m, t->name, path)) {
        out_free(&out);
        return fail(err, RAS_ELIMIT, RAS_NONE, "the path of the schema of %s is too long", t->name);
    }
    int status = ras_sink_file(&sink, path, true, err);
    if (status < 0) {
        out_free(&out);
        return status;
    }
    status = sink_write_out(sink, &out, err);
    if (status == RAS_OK)
        return ras_sink_close(sink, err);
    ras_sink_drop(sink);
    return status;
}

int manifest_schemas(struct manifest *m, struct ras_error *err)
{
    char path[SCHEMA_PATH];
    int status = path_join(path, sizeof path, m->folder, "_schema", err);
    if (status == RAS_OK && os_make_folder(path, 0777) < 0 && errno != EEXIST)
        status = fail_os(err, path);
    for (size_t i = 0; status == RAS_OK && i < m->table_count; i++) {
        if (!m->tables[i].changed)
            continue;
        status = write_table_schema(m, &m->tables[i], err);
        m->tables[i].changed = status < 0;
    }
    return status;
}

/* ---- tables -------------------------------------------------------------------------------- */

static struct known_table *table_known(struct manifest *m, const char *name)
{
    for (size_t i = 0; i < m->table_count; i++)
        if (!strcmp(m->tables[i].name, name))
            return &m->tables[i];
    if (!array_grow(&m->tables, &m->table_room, m->table_count + 1, sizeof *m->tables))
        return NULL;
    struct known_table *t = &m->tables[m->table_count];
    *t = (struct known_table){.name = text_copy(name, strlen(name))};
    if (!t->name)
        return NULL;
    m->table_count++;
    return read_schema(m, t) ? t : NULL;
}

struct known_table *manifest_table(struct manifest *m, const char *name,
                                   const struct ras_column_about *columns, size_t count)
{
    for (unsigned i = 1;; i++) {
        char numbered[TABLE_NAME];
        if (i == 1)
            snprintf(numbered, sizeof numbered, "%.270s", name);
        else
            snprintf(numbered, sizeof numbered, "%.270s~%u", name, i);
        struct known_table *t = table_known(m, numbered);
        if (!t)
            return NULL;
        if (table_fits(t, columns, count))
            return widen_table(t, columns, count) ? t : NULL;
    }
}

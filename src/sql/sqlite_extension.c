/* sqlite_extension.c - an extension for SQLite: traces as tables of any program that loads it.
 *
 * SELECT rastrum_open('PATH'[, 'prefix']) makes all tables of a trace in temp;
 * CREATE VIRTUAL TABLE temp.x USING rastrum('PATH', 'TABLE') makes one;
 * rastrum_records('PATH'[, 'type']) is a table of its own. */
#include "sql/sqlite_extension.h"
#include "base/error.h"
#include <rastrum/rundir.h>

#include <rastrum/symbols.h>

#include <stdio.h>
#include <string.h>

SQLITE_EXTENSION_INIT1

/* What joins and groups may use: the program has memory of its own to look after. */
static const uint64_t extension_memory = UINT64_C(256) << 20;

struct extension {
    sqlite3 *db;
    struct opened *opened;
    unsigned count;
    struct catalog none; /* for functions of SQL before a trace is open */
    struct module module;
};

int sqlite3_rastrumsqlite_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

/* ---- traces -------------------------------------------------------------------------------- */

static void opened_free(struct opened *o)
{
    catalog_close(&o->catalog);
    ras_close(o->source.trace);
    ras_rundir_close(o->source.run);
    free(o->path);
    free(o);
}

static int open_source(struct opened *o, struct ras_error *err)
{
    const struct ras_sql_options *options = &o->module.options;
    int status = ras_rundir_exists(o->path) ? ras_rundir_open(&o->source.run, o->path, NULL, err)
                                            : ras_open(&o->source.trace, o->path, NULL, err);
    return status < 0 ? status : catalog_open(&o->catalog, &o->source, 1, options, err);
}

struct opened *extension_open(struct extension *e, const char *path, struct ras_error *err)
{
    for (struct opened *o = e->opened; o; o = o->next)
        if (!strcmp(o->path, path))
            return o;
    struct opened *o = calloc(1, sizeof *o);
    char name[40];
    if (!o) {
        fail_memory(err);
        return NULL;
    }
    o->path = text_copy(path, strlen(path));
    o->number = ++e->count;
    o->module = (struct module){.catalog = &o->catalog, .is_extension = true};
    o->module.options.max_memory = extension_memory;
    int status = o->path ? open_source(o, err) : fail_memory(err);
    snprintf(name, sizeof name, "rastrum_%u", o->number);
    if (status == RAS_OK && module_register(e->db, &o->module, name) != SQLITE_OK)
        status = fail_memory(err);
    if (status < 0) {
        opened_free(o);
        return NULL;
    }
    o->next = e->opened;
    e->opened = o;
    return o;
}

static void extension_free(void *user)
{
    struct extension *e = user;
    while (e->opened) {
        struct opened *next = e->opened->next;
        opened_free(e->opened);
        e->opened = next;
    }
    ras_symbols_close(e->module.symbols);
    free(e);
}

/* ---- rastrum_open() ------------------------------------------------------------------------ */

/* The name of a table in temp: PREFIX, the schema of a run directory, its own. */
static char *temporary_name(const struct ras_sql_table *t, const char *prefix)
{
    bool is_main = !strcmp(t->schema, "main");
    char *name =
        sqlite3_mprintf("%s%s%s%s", prefix, is_main ? "" : t->schema, is_main ? "" : "_", t->name);
    char *quoted = name ? ras_sql_quote(name) : NULL;
    sqlite3_free(name);
    return quoted;
}

static int make_temporary(struct extension *e, const struct opened *o, size_t i, const char *prefix)
{
    const struct ras_sql_table *t = &o->catalog.tables[i].shown;
    char *name = temporary_name(t, prefix);
    char *text = name ? sqlite3_mprintf("CREATE VIRTUAL TABLE temp.%s USING rastrum_%u(%llu)", name,
                                        o->number, (unsigned long long)i)
                      : NULL;
    int status = text ? sqlite3_exec(e->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    free(name);
    return status;
}

/* How many tables were made. */
static void rastrum_open(sqlite3_context *context, int count, sqlite3_value **args)
{
    struct extension *e = sqlite3_user_data(context);
    const char *path = (const char *)sqlite3_value_text(args[0]);
    const char *prefix = count > 1 ? (const char *)sqlite3_value_text(args[1]) : "";
    struct ras_error err;
    sqlite3_int64 made = 0;
    if (!path || !prefix) {
        sqlite3_result_error(context, "rastrum_open('PATH'[, 'prefix'])", -1);
        return;
    }
    const struct opened *o = extension_open(e, path, &err);
    if (!o) {
        sqlite3_result_error(context, err.text, -1);
        return;
    }
    for (size_t i = 0; i < o->catalog.table_count; i++) {
        if (o->catalog.tables[i].shown.view)
            continue;
        if (make_temporary(e, o, i, prefix) != SQLITE_OK) {
            sqlite3_result_error(context, sqlite3_errmsg(e->db), -1);
            return;
        }
        made++;
    }
    sqlite3_result_int64(context, made);
}

/* ---- one table ----------------------------------------------------------------------------- */

/* An argument of USING rastrum(...), without its quotes; sqlite3_free() it. */
static char *argument_text(const char *text)
{
    size_t len = strlen(text);
    char *out = sqlite3_malloc64(len + 1), *p = out;
    char quote = *text == '\'' || *text == '"' ? *text : 0;
    if (!out)
        return NULL;
    for (const char *at = text + (quote != 0); *at; at++) {
        if (quote && *at == quote && at[1] != quote)
            break;
        if (quote && *at == quote)
            at++;
        *p++ = *at;
    }
    *p = 0;
    return out;
}

static size_t table_number(const struct opened *o, const char *name)
{
    for (size_t i = 0; i < o->catalog.table_count; i++) {
        const struct ras_sql_table *t = &o->catalog.tables[i].shown;
        char *whole = sqlite3_mprintf("%s.%s", t->schema, t->name);
        bool same = !t->view &&
                    (!sqlite3_stricmp(name, t->name) || (whole && !sqlite3_stricmp(name, whole)));
        sqlite3_free(whole);
        if (same)
            return i;
    }
    return SIZE_MAX;
}

static int extension_connect(sqlite3 *db, void *user, int argc, const char *const *argv,
                             sqlite3_vtab **out, char **message)
{
    struct ras_error err;
    if (argc != 5) {
        *message = sqlite3_mprintf("USING rastrum('PATH', 'TABLE')");
        return SQLITE_ERROR;
    }
    char *path = argument_text(argv[3]), *name = argument_text(argv[4]), number[24];
    struct opened *o = path && name ? extension_open(user, path, &err) : NULL;
    size_t i = o ? table_number(o, name) : SIZE_MAX;
    if (path && name && !o)
        *message = sqlite3_mprintf("%s", err.text);
    else if (o && i == SIZE_MAX)
        *message = sqlite3_mprintf("%s has no table %s", path, name);
    sqlite3_free(path);
    sqlite3_free(name);
    if (i == SIZE_MAX)
        return SQLITE_ERROR;
    snprintf(number, sizeof number, "%zu", i);
    const char *const words[] = {argv[0], argv[1], argv[2], number};
    return module_connect(db, &o->module, 4, words, out, message);
}

/* The functions of the tables; only how one is found differs. Made once, before any use. */
static sqlite3_module extension_module;

int __attribute__((visibility("default")))
sqlite3_rastrumsqlite_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api);
    struct extension *e = calloc(1, sizeof *e);
    int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    if (!e)
        return SQLITE_NOMEM;
    if (sqlite3_libversion_number() < 3038000) {
        *message = sqlite3_mprintf("rastrum needs SQLite 3.38; this is %s", sqlite3_libversion());
        free(e);
        return SQLITE_ERROR;
    }
    e->db = db;
    e->module.catalog = &e->none;
    e->module.is_extension = true;
    extension_module = module_rows;
    extension_module.xCreate = extension_module.xConnect = extension_connect;
    int status = sqlite3_create_module_v2(db, "rastrum", &extension_module, e, extension_free);
    if (status == SQLITE_OK)
        status = functions_register(db, &e->module);
    if (status == SQLITE_OK)
        status = sqlite3_create_function(db, "rastrum_open", 1, flags, e, rastrum_open, NULL, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_create_function(db, "rastrum_open", 2, flags, e, rastrum_open, NULL, NULL);
    return status == SQLITE_OK ? records_register(db, e) : status;
}

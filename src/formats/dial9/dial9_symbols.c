/* dial9_symbols.c - the names of addresses that a trace has, one by one. */
#include "formats/dial9/dial9_driver.h"

static const char *const names[] = {"SymbolTableEntry", "CallframeDefEvent"};

static const struct ras_value *value_of(const struct ras_schema *schema,
                                        const struct ras_value *values, size_t count,
                                        const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(schema->fields[values[i].field].name, name))
            return &values[i];
    return NULL;
}

static struct ras_bytes text_of(const struct ras_value *v)
{
    return v && v->kind == RAS_STR ? (struct ras_bytes){v->at, v->count}
                                   : (struct ras_bytes){NULL, 0};
}

static uint64_t number_of(const struct ras_value *v)
{
    return v && v->kind == RAS_UINT ? v->u : 0;
}

int dial9_symbols(struct ras_trace *t, symbol_take *take, void *user, struct ras_error *err)
{
    struct ras_pick picks[] = {{names[0], NULL, 0}, {names[1], NULL, 0}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 2};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, t, &scan, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK) {
        const struct ras_schema *s = ras_schema_of(c);
        size_t n;
        const struct ras_value *v = ras_values(c, &n), *addr = value_of(s, v, n, "addr");
        bool old = !addr;
        addr = old ? value_of(s, v, n, "address") : addr;
        if (!addr || addr->kind != RAS_UINT)
            continue;
        take(user, &(struct symbol_line){
                       .address = addr->u,
                       .depth = number_of(value_of(s, v, n, "inline_depth")),
                       .line = number_of(value_of(s, v, n, "source_line")),
                       .name = text_of(value_of(s, v, n, old ? "symbol" : "symbol_name")),
                       .file = text_of(value_of(s, v, n, old ? "location" : "source_file"))});
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

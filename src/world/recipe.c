/* recipe.c - what a grid world is made of, from its text: a statement a line.
 *
 * Numbers that must be exact are bit patterns in hexadecimal. The text comes from an untrusted
 * file, so every count is checked against a limit before it becomes memory. */
#include "base/error.h"
#include "base/memory.h"
#include "world/float_bits.h"
#include "world/recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- recipe text ------------------------------------------------------------------------- */

/* The text of a recipe: a statement a line, in words. */

int recipe_wrong(const struct recipe_line *l, const char *word, const char *what)
{
    return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: %s", l->number, word, what);
}

bool recipe_number(const char *word, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    if (!*word)
        return false;
    for (; *word; word++) {
        if (*word < '0' || *word > '9' || value > most / 10)
            return false;
        value = value * 10 + (uint64_t)(*word - '0');
    }
    *out = value;
    return value <= most;
}

bool recipe_hex(const char *word, unsigned digits, uint64_t *out)
{
    static const char all[] = "0123456789abcdef";
    uint64_t value = 0;
    if (strlen(word) != digits)
        return false;
    for (; *word; word++) {
        const char *digit = strchr(all, *word | 32);
        if (!digit)
            return false;
        value = value << 4 | (uint64_t)(digit - all);
    }
    *out = value;
    return true;
}

/* The words of the next line. */
static int split(struct recipe_line *l, struct ras_bytes *rest)
{
    unsigned length = 0;
    l->count = 0;
    l->number++;
    memset(l->words, 0, sizeof l->words);
    while (rest->len) {
        uint8_t c = *rest->at++;
        rest->len--;
        if (c == '\n')
            break;
        if (c == ' ') {
            length = 0;
            continue;
        }
        l->count += length == 0;
        if (c < 33 || c > 126)
            return fail(
                l->err, RAS_EFORMAT, RAS_NONE,
                "recipe line %u: byte 0x%02x is not printable ASCII, a space or the LF that "
                "ends a line",
                l->number, c);
        if (l->count > RECIPE_WORDS || ++length >= RECIPE_WORD)
            return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: more than %d %s", l->number,
                        l->count > RECIPE_WORDS ? RECIPE_WORDS : RECIPE_WORD - 1,
                        l->count > RECIPE_WORDS ? "words" : "letters in a word");
        l->words[l->count - 1][length - 1] = (char)c;
    }
    return RAS_OK;
}

int recipe_lines(struct recipe_line *l, struct ras_bytes text, int (*read)(struct recipe_line *))
{
    if (text.len > RAS_WORLD_RECIPE_MAX)
        return fail(l->err, RAS_ELIMIT, RAS_NONE, "a recipe of %zu bytes, at most %u", text.len,
                    RAS_WORLD_RECIPE_MAX);
    while (text.len) {
        int status = split(l, &text);
        if (status == RAS_OK && l->count)
            status = read(l);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

enum { FIELDS = RECIPE_FIELDS, PROPS = 256, PARAMS = 4096, ENTITIES = 1 << 20, STATEMENTS = 9 };
#define QUEUE_MOST RAS_MURK_COMMANDS_MAX

struct statement {
    const char *word;
    unsigned words; /* with the first; 0: as many as it takes */
    bool full_only;
    bool again; /* it may be repeated */
    int (*read)(struct recipe_line *);
};
static const struct statement statements[STATEMENTS];

struct prop_row {
    const char *word;
    /* A read, B written, F both; w 8 hex, d 16 hex, n number, k key of a parameter */
    const char *arguments;
    bool full_only;
};
static const struct prop_row props[PROP_KINDS];

static struct recipe *recipe_of(const struct recipe_line *l)
{
    return l->recipe;
}

const char *prop_name(enum prop_kind kind)
{
    return props[kind].word;
}

/* ---- statements -------------------------------------------------------------------------- */

static const char *name_of(const struct recipe *r)
{
    return r->full ? "ref-1" : "murk-0.1.9";
}

/* A replay is executed in the world that its recipe names. */
static int recipe_name(struct recipe_line *l)
{
    if (l->number != 1)
        return recipe_wrong(l, l->words[0], "is allowed only in the first line");
    if (strcmp(l->words[1], "1") != 0)
        return recipe_wrong(l, l->words[1], "recipes are of version 1");
    if (!strcmp(l->words[2], name_of(recipe_of(l))))
        return RAS_OK;
    return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line 1: of the world %s, not %s",
                l->words[2], name_of(recipe_of(l)));
}

static bool find_edge(struct space *s, const char *word)
{
    for (unsigned i = 0; i < EDGES; i++)
        if (!strcmp(word, space_edge_name(i))) {
            s->edge = i;
            return (s->kind != SPACE_RING || i == EDGE_WRAP) &&
                   (s->kind != SPACE_HEX || i == EDGE_ABSORB);
        }
    return false;
}

static int read_space(struct recipe_line *l)
{
    struct space *s = &recipe_of(l)->space;
    uint64_t size[2] = {1, 1};
    if (l->count < 2)
        return recipe_wrong(l, "space", "takes KIND N EDGE or KIND ROWS COLS EDGE");
    while (s->kind < SPACE_KINDS && strcmp(l->words[1], space_kind_name(s->kind)) != 0)
        s->kind++;
    if (s->kind == SPACE_KINDS)
        return recipe_wrong(l, l->words[1], "no such space");
    unsigned axes = s->kind == SPACE_LINE || s->kind == SPACE_RING ? 1 : 2;
    if (l->count != 3 + axes)
        return recipe_wrong(l, "space",
                            axes == 1 ? "takes KIND N EDGE" : "takes KIND ROWS COLS EDGE");
    for (unsigned i = 0; i < axes; i++)
        if (!recipe_number(l->words[2 + i], INT32_MAX, &size[2 - axes + i]) || !size[2 - axes + i])
            return recipe_wrong(l, l->words[2 + i], "a size is 1 to 2147483647");
    if (!find_edge(s, l->words[2 + axes]))
        return recipe_wrong(l, l->words[2 + axes], "this space has no such edge");
    s->rows = (uint32_t)size[0];
    s->cols = (uint32_t)size[1];
    s->cells = size[0] * size[1];
    if (s->cells > RAS_WORLD_BYTES_MAX / 4)
        return fail(l->err, RAS_ELIMIT, RAS_NONE,
                    "recipe line %u: space: %" PRIu64 " cells, at most %u", l->number, s->cells,
                    RAS_WORLD_BYTES_MAX / 4);
    return RAS_OK;
}

static int recipe_dt(struct recipe_line *l)
{
    if (!recipe_hex(l->words[1], 16, &recipe_of(l)->dt_bits))
        return recipe_wrong(l, l->words[1], "not 16 hexadecimal digits");
    double dt = double_of(recipe_of(l)->dt_bits);
    if (isfinite(dt) && dt > 0)
        return RAS_OK;
    return fail(l->err, RAS_EFORMAT, RAS_NONE,
                "recipe line %u: dt: %g, a step is finite and above 0", l->number, dt);
}

static int recipe_queue(struct recipe_line *l)
{
    return recipe_number(l->words[1], QUEUE_MOST, &recipe_of(l)->queue)
               ? RAS_OK
               : recipe_wrong(l, l->words[1], "a queue holds 0 to 1000000 commands");
}

static int read_field(struct recipe_line *l)
{
    static const char *const names[FIELD_KINDS] = {"static", "pertick", "sparse"};
    struct recipe *r = recipe_of(l);
    struct recipe_field f = {0};
    uint64_t components;
    memcpy(f.name, l->words[1], sizeof f.name);
    while (f.kind < FIELD_KINDS && strcmp(l->words[2], names[f.kind]) != 0)
        f.kind++;
    if (f.kind == FIELD_KINDS)
        return recipe_wrong(l, l->words[2], "a field is static, pertick or sparse");
    if (!recipe_number(l->words[3], 1024, &components) || !components)
        return recipe_wrong(l, l->words[3], "a field has 1 to 1024 components");
    f.components = (uint32_t)components;
    if (r->field_count == FIELDS)
        return recipe_wrong(l, "field", "a recipe has at most 256");
    if (!array_grow(&r->fields, &r->field_room, r->field_count + 1, sizeof f))
        return fail_memory(l->err);
    r->fields[r->field_count++] = f;
    return RAS_OK;
}

static int read_entities(struct recipe_line *l)
{
    return recipe_number(l->words[1], ENTITIES, &recipe_of(l)->entities)
               ? RAS_OK
               : recipe_wrong(l, l->words[1], "a world has 0 to 1048576 entities");
}

static int read_entityfield(struct recipe_line *l)
{
    uint64_t id;
    if (!recipe_number(l->words[1], FIELDS - 1, &id))
        return recipe_wrong(l, l->words[1], "a field is a number below 256");
    recipe_of(l)->of_entities[id] = true;
    return RAS_OK;
}

static int read_param(struct recipe_line *l)
{
    struct recipe *r = recipe_of(l);
    uint64_t key, bits;
    if (!recipe_number(l->words[1], UINT32_MAX, &key))
        return recipe_wrong(l, l->words[1], "a key is a number of 32 bits");
    if (!recipe_hex(l->words[2], 16, &bits))
        return recipe_wrong(l, l->words[2], "not 16 hexadecimal digits");
    for (size_t i = 0; i < r->param_count; i++)
        if (r->params[i].key == key)
            return recipe_wrong(l, l->words[1], "this parameter is there already");
    if (r->param_count == PARAMS)
        return recipe_wrong(l, "param", "a recipe has at most 4096");
    if (!array_grow(&r->params, &r->param_room, r->param_count + 1, sizeof *r->params))
        return fail_memory(l->err);
    size_t at = r->param_count++;
    for (; at && r->params[at - 1].key > key; at--)
        r->params[at] = r->params[at - 1];
    r->params[at] = (struct recipe_param){(uint32_t)key, bits};
    return RAS_OK;
}

/* ---- propagators ------------------------------------------------------------------------- */

static int read_prop_field(struct recipe_line *l, const char *word, char kind,
                           struct recipe_prop *p)
{
    struct recipe *r = recipe_of(l);
    uint64_t id;
    if (!recipe_number(word, FIELDS - 1, &id))
        return recipe_wrong(l, word, "a field is a number below 256");
    if (kind != 'B')
        p->reads = (uint32_t)id;
    if (kind == 'A')
        return RAS_OK;
    p->writes = (uint32_t)id;
    if (r->written[id])
        return recipe_wrong(l, word, "another propagator writes this field");
    r->written[id] = true;
    return RAS_OK;
}

static int read_argument(struct recipe_line *l, const char *word, char kind, struct recipe_prop *p)
{
    uint64_t value = 0;
    if (kind == 'A' || kind == 'B' || kind == 'F')
        return read_prop_field(l, word, kind, p);
    if (kind == 'n' || kind == 'k') {
        if (!recipe_number(word, kind == 'k' ? UINT32_MAX : UINT64_MAX / 2, &value))
            return recipe_wrong(l, word, "not a number");
        p->key = kind == 'k' ? (uint32_t)value : 0;
        p->number = value;
        return RAS_OK;
    }
    if (!recipe_hex(word, kind == 'w' ? 8 : 16, &value))
        return recipe_wrong(l, word,
                            kind == 'w' ? "not 8 hexadecimal digits" : "not 16 hexadecimal digits");
    if (kind == 'w')
        p->bits = (uint32_t)value;
    else
        p->factor = double_of(value);
    return RAS_OK;
}

static int read_prop(struct recipe_line *l)
{
    struct recipe *r = recipe_of(l);
    struct recipe_prop p = {.line = l->number};
    if (l->count < 2)
        return recipe_wrong(l, "prop", "takes KIND and its arguments");
    while (p.kind < PROP_KINDS && (strcmp(l->words[1], props[p.kind].word) != 0 ||
                                   (props[p.kind].full_only && !recipe_of(l)->full)))
        p.kind++;
    if (p.kind == PROP_KINDS)
        return recipe_wrong(l, l->words[1], "no such propagator in this world");
    const char *kinds = props[p.kind].arguments;
    if (l->count != 2 + strlen(kinds))
        return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: %u arguments, not %zu",
                    l->number, l->words[1], l->count - 2, strlen(kinds));
    for (unsigned i = 0; kinds[i]; i++) {
        int status = read_argument(l, l->words[2 + i], kinds[i], &p);
        if (status < 0)
            return status;
    }
    if (r->prop_count == PROPS)
        return recipe_wrong(l, "prop", "a recipe has at most 256");
    if (!array_grow(&r->props, &r->prop_room, r->prop_count + 1, sizeof p))
        return fail_memory(l->err);
    r->props[r->prop_count++] = p;
    return RAS_OK;
}

/* ---- the whole --------------------------------------------------------------------------- */

static bool needs_param(enum prop_kind kind)
{
    return strchr(props[kind].arguments, 'k');
}

static int judge_prop(const struct recipe *r, const struct recipe_prop *p, struct ras_error *err)
{
    const char *name = prop_name(p->kind);
    uint32_t beyond = p->reads < r->field_count ? p->writes : p->reads;
    if (beyond >= r->field_count)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: %s: there is no field %u, the last is %zu", p->line, name,
                    beyond, r->field_count - 1);
    if (needs_param(p->kind) && !recipe_param(r->params, r->param_count, p->key))
        return fail(err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: there is no parameter %u",
                    p->line, name, p->key);
    const struct recipe_field *from = &r->fields[p->reads], *to = &r->fields[p->writes];
    if (to->kind == FIELD_STATIC)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: %s: field %u is static: never written", p->line, name,
                    p->writes);
    if (from->components != to->components)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: %s: fields of %u and %u components", p->line, name,
                    from->components, to->components);
    if ((p->kind == PROP_DIFFUSE || p->kind == PROP_EXAMPLE) && to->components != 1)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: %s: a field of %u components, not 1", p->line, name,
                    to->components);
    bool square = r->space.kind == SPACE_SQUARE4 || r->space.kind == SPACE_SQUARE8;
    if (p->kind == PROP_EXAMPLE && (!square || p->number >= r->space.cells))
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: example: needs a square space with cell %" PRIu64, p->line,
                    p->number);
    if ((p->kind == PROP_DIFFUSE || p->kind == PROP_EXAMPLE) && !isfinite(p->factor))
        return fail(err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: the factor is not finite",
                    p->line, name);
    return RAS_OK;
}

static int judge_entities(const struct recipe *r, struct ras_error *err)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (r->of_entities[i] && (i >= r->field_count || r->fields[i].kind != FIELD_PERTICK))
            return fail(err, RAS_EFORMAT, RAS_NONE, "recipe: entityfield %zu: the field is %s", i,
                        i < r->field_count ? "not pertick" : "not there");
    return RAS_OK;
}

static int check_recipe(const struct recipe *r, struct ras_error *err)
{
    uint64_t values = 0;
    if (!(r->given & 1))
        return fail(err, RAS_EFORMAT, RAS_NONE, "recipe: the first line is not `murkworld 1 %s`",
                    name_of(r));
    if (!r->space.cells || !r->dt_bits || !r->field_count || !r->prop_count)
        return fail(err, RAS_EFORMAT, RAS_NONE, "recipe: there is no %s",
                    !r->space.cells   ? "space"
                    : !r->dt_bits     ? "dt"
                    : !r->field_count ? "field"
                                      : "prop");
    int status = judge_entities(r, err);
    for (size_t i = 0; i < r->field_count; i++)
        values += r->fields[i].components * r->space.cells;
    if (status == RAS_OK && values > RAS_WORLD_BYTES_MAX / 4)
        status = fail(err, RAS_ELIMIT, RAS_NONE, "recipe: fields of %" PRIu64 " bytes, at most %u",
                      4 * values, RAS_WORLD_BYTES_MAX);
    for (size_t i = 0; status == RAS_OK && i < r->prop_count; i++)
        status = judge_prop(r, &r->props[i], err);
    return status;
}

static int recipe_statement(struct recipe_line *l)
{
    for (const struct statement *s = statements; s < statements + STATEMENTS; s++) {
        if (strcmp(l->words[0], s->word) != 0 || (s->full_only && !recipe_of(l)->full))
            continue;
        if (s->words && l->count != s->words)
            return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: %u words, not %u",
                        l->number, s->word, l->count, s->words);
        unsigned bit = 1u << (s - statements);
        if (recipe_of(l)->given & bit && !s->again)
            return recipe_wrong(l, s->word, "there is one already");
        recipe_of(l)->given |= bit;
        return s->read(l);
    }
    return recipe_wrong(l, l->words[0], "no such statement in this world");
}

int recipe_read(struct recipe *r, struct ras_bytes text, bool full, struct ras_error *err)
{
    struct recipe_line l = {.recipe = r, .err = err};
    *r = (struct recipe){.queue = 1024, .full = full};
    int status = recipe_lines(&l, text, recipe_statement);
    return status < 0 ? status : check_recipe(r, err);
}

void recipe_free(struct recipe *r)
{
    free(r->fields);
    free(r->props);
    free(r->params);
    *r = (struct recipe){0};
}

const struct recipe_param *recipe_param(const struct recipe_param *at, size_t count, uint32_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (at[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < count && at[low].key == key ? &at[low] : NULL;
}

static const struct statement statements[STATEMENTS] = {
    {"murkworld", 3, false, true, recipe_name},  {"space", 0, false, false, read_space},
    {"dt", 2, false, false, recipe_dt},          {"queue", 2, false, false, recipe_queue},
    {"field", 4, false, true, read_field},       {"prop", 0, false, true, read_prop},
    {"entities", 2, true, false, read_entities}, {"entityfield", 2, true, true, read_entityfield},
    {"param", 3, true, true, read_param},
};

static const struct prop_row props[PROP_KINDS] = {
    [PROP_CONST] = {"const", "Fw", false},      [PROP_COPYPREV] = {"copyprev", "F", false},
    [PROP_COPY] = {"copy", "AB", false},        [PROP_HOLD] = {"hold", "F", false},
    [PROP_DIFFUSE] = {"diffuse", "ABd", false}, [PROP_EXAMPLE] = {"example", "Fdnw", false},
    [PROP_FAIL] = {"fail", "Fn", false},        [PROP_PARAMFILL] = {"paramfill", "Fk", true},
    [PROP_SCALE] = {"scale", "ABk", true},      [PROP_NOISE] = {"noise", "Fw", true},
    [PROP_DIGEST] = {"digest", "F", true},
};

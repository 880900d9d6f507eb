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
        uint64_t digit = (uint64_t)(*word - '0');
        if (*word < '0' || *word > '9' || digit > most || value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
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

static int split_byte(struct recipe_line *l, unsigned char c, char *at, unsigned *length)
{
    if (c == ' ') {
        *length = 0;
        *at = 0;
        return RAS_OK;
    }
    if (c < 33 || c > 126)
        return fail(l->err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: byte 0x%02x is not printable ASCII, a space or the LF that "
                    "ends a line",
                    l->number, c);
    if (!*length) {
        if (!array_grow(&l->words, &l->word_room, l->count + 1, sizeof *l->words))
            return fail_memory(l->err);
        l->words[l->count++] = at;
    }
    return ++*length < RECIPE_WORD
               ? RAS_OK
               : fail(l->err, RAS_EFORMAT, RAS_NONE,
                      "recipe line %u: more than %d letters in a word", l->number, RECIPE_WORD - 1);
}

/* The words of the next line, which are ended where they are. */
static int split(struct recipe_line *l, char **rest, const char *end)
{
    unsigned length = 0;
    l->count = 0;
    l->number++;
    for (int status; *rest < end; ++*rest) {
        if (**rest == '\n')
            break;
        status = split_byte(l, (unsigned char)**rest, *rest, &length);
        if (status < 0)
            return status;
    }
    *(*rest)++ = 0; /* there is one byte more than the text */
    return RAS_OK;
}

int recipe_lines(struct recipe_line *l, struct ras_bytes text, int (*read)(struct recipe_line *))
{
    if (text.len > RAS_WORLD_RECIPE_MAX)
        return fail(l->err, RAS_ELIMIT, RAS_NONE, "a recipe of %zu bytes, at most %u", text.len,
                    RAS_WORLD_RECIPE_MAX);
    char *copy = malloc(text.len + 1);
    int status = copy ? RAS_OK : fail_memory(l->err);
    if (copy && text.len)
        memcpy(copy, text.at, text.len);
    for (char *rest = copy; status == RAS_OK && rest < copy + text.len;) {
        status = split(l, &rest, copy + text.len);
        if (status == RAS_OK && l->count)
            status = read(l);
    }
    free(copy);
    free(l->words);
    l->words = NULL;
    return status < 0 ? status : RAS_OK;
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
    /* A read, B written, F both; w 8 hex, d 16 hex, n number, k key of a parameter. Of version 2:
     * P a second that is read, G a second that is written or -, V a second that is both; e a second
     * 16 hex; x and y more of 8 hex, l and h the same or -; c a word of the choices; s pairs of a
     * cell and 8 hex, a pairs of an agent and a cell: as many as there are, the last. */
    const char *arguments;
    bool full_only;
    bool spreads;
    uint8_t inside, outside; /* components of what is read and written; 0: the same */
    uint8_t second;          /* of the second fields */
    const char *choices[3];
    uint32_t reads, beside, writes, also; /* where the arguments name no field */
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

bool prop_spreads(enum prop_kind kind)
{
    return props[kind].spreads;
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
    if (strcmp(l->words[1], "1") != 0 && (recipe_of(l)->full || strcmp(l->words[1], "2") != 0))
        return recipe_wrong(l, l->words[1],
                            recipe_of(l)->full ? "recipes of this world are of version 1"
                                               : "recipes are of version 1 or 2");
    recipe_of(l)->version = (unsigned)(l->words[1][0] - '0');
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

/* In version 2 a space that has one edge does not name it. */
static bool edge_is_implied(const struct recipe *r, struct space *s)
{
    s->edge = s->kind == SPACE_RING ? EDGE_WRAP : EDGE_ABSORB;
    return r->version == 2 && (s->kind == SPACE_RING || s->kind == SPACE_HEX);
}

static int count_cells(struct recipe_line *l, struct space *s)
{
    s->cells = space_count(s);
    if (s->cells > RAS_WORLD_BYTES_MAX / 4)
        return fail(l->err, RAS_ELIMIT, RAS_NONE,
                    "recipe line %u: space: %" PRIu64 " cells, at most %u", l->number, s->cells,
                    RAS_WORLD_BYTES_MAX / 4);
    return RAS_OK;
}

/* A space that is not a product, from the words [from, to). */
static int read_part(struct recipe_line *l, struct space *s, unsigned from, unsigned to)
{
    static const char *const forms[] = {"", "takes KIND N EDGE", "takes KIND ROWS COLS EDGE",
                                        "takes KIND W H D EDGE"};
    const struct recipe *r = recipe_of(l);
    const enum space_kind kind_end = r->version == 2 ? SPACE_PRODUCT : SPACE_FCC;
    uint64_t size[3] = {1, 1, 1};
    if (from >= to)
        return recipe_wrong(l, "space", "takes KIND N EDGE or KIND ROWS COLS EDGE");
    while (s->kind < kind_end && strcmp(l->words[from], space_kind_name(s->kind)) != 0)
        s->kind++;
    if (s->kind == kind_end)
        return recipe_wrong(l, l->words[from], "no such space");
    unsigned sides = space_kind_sides(s->kind), edge = from + 1 + sides;
    bool implied = edge_is_implied(r, s) && to == edge;
    if (!implied && to != edge + 1)
        return recipe_wrong(l, "space", forms[sides]);
    for (unsigned i = 0; i < sides; i++)
        if (!recipe_number(l->words[from + 1 + i], INT32_MAX, &size[i]) || !size[i])
            return recipe_wrong(l, l->words[from + 1 + i], "a size is 1 to 2147483647");
    if (!implied && !find_edge(s, l->words[edge]))
        return recipe_wrong(l, l->words[edge], "this space has no such edge");
    if (s->kind == SPACE_FCC && s->edge == EDGE_WRAP && ((size[0] | size[1] | size[2]) & 1))
        return recipe_wrong(l, l->words[edge], "needs three even sides");
    bool columns_first = sides != 2;
    s->cols = (uint32_t)size[!columns_first];
    s->rows = (uint32_t)size[columns_first];
    s->layers = (uint32_t)size[2];
    return count_cells(l, s);
}

static int add_part(struct recipe_line *l, unsigned from, unsigned to)
{
    struct space *s = &recipe_of(l)->space, part = {0};
    int status = read_part(l, &part, from, to);
    if (status < 0)
        return status;
    struct space *more = realloc(s->parts, (s->part_count + 1) * sizeof *more);
    if (!more)
        return fail_memory(l->err);
    s->parts = more;
    s->parts[s->part_count++] = part;
    return space_axes(s) <= RAS_WORLD_AXES ? RAS_OK
                                           : recipe_wrong(l, "product", "has more than 8 axes");
}

static int read_space(struct recipe_line *l)
{
    struct recipe *r = recipe_of(l);
    if (r->version != 2 || l->count < 2 || strcmp(l->words[1], space_kind_name(SPACE_PRODUCT)) != 0)
        return read_part(l, &r->space, 1, l->count);
    r->space.kind = SPACE_PRODUCT;
    for (unsigned from = 2, at = 2; at <= l->count; at++) {
        if (at < l->count && strcmp(l->words[at], "*") != 0)
            continue;
        int status = add_part(l, from, at);
        if (status < 0)
            return status;
        from = at + 1;
    }
    return count_cells(l, &r->space);
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
    memcpy(f.name, l->words[1], strlen(l->words[1])); /* a word is shorter than a name */
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

static int mark_written(struct recipe_line *l, uint32_t id)
{
    bool *written = &recipe_of(l)->written[id];
    char word[24];
    snprintf(word, sizeof word, "%u", id);
    if (*written)
        return recipe_wrong(l, word, "another propagator writes this field");
    *written = true;
    return RAS_OK;
}

static int read_prop_field(struct recipe_line *l, const char *word, char kind,
                           struct recipe_prop *p)
{
    uint64_t id;
    if (kind == 'G' && !strcmp(word, "-"))
        return RAS_OK;
    if (!recipe_number(word, FIELDS - 1, &id))
        return recipe_wrong(l, word, "a field is a number below 256");
    if (kind == 'A' || kind == 'F')
        p->reads = (uint32_t)id;
    if (kind == 'P' || kind == 'V')
        p->beside = (uint32_t)id;
    if (kind == 'B' || kind == 'F')
        p->writes = (uint32_t)id;
    if (kind == 'G' || kind == 'V')
        p->also = (uint32_t)id;
    return strchr("BFGV", kind) ? mark_written(l, (uint32_t)id) : RAS_OK;
}

static int read_number(struct recipe_line *l, const char *word, char kind, struct recipe_prop *p)
{
    uint64_t value = 0;
    if (!recipe_number(word, kind == 'k' ? UINT32_MAX : UINT64_MAX, &value))
        return recipe_wrong(l, word, "not a number");
    p->key = kind == 'k' ? (uint32_t)value : 0;
    p->number = value;
    return RAS_OK;
}

/* 8 digits, or 16 of an f64; `-` where there may be none. */
static int read_bits(struct recipe_line *l, const char *word, char kind, struct recipe_prop *p)
{
    bool wide = kind == 'd' || kind == 'e';
    uint64_t value = 0;
    if ((kind == 'l' || kind == 'h') && !strcmp(word, "-"))
        return RAS_OK;
    if (!recipe_hex(word, wide ? 16 : 8, &value))
        return recipe_wrong(l, word,
                            wide ? "not 16 hexadecimal digits" : "not 8 hexadecimal digits");
    if (kind == 'd')
        p->factor = double_of(value);
    else if (kind == 'e')
        p->second = double_of(value);
    else if (kind == 'w')
        p->bits = (uint32_t)value;
    else {
        unsigned at = kind == 'y' || kind == 'h';
        p->more[at] = (uint32_t)value;
        p->given[at] = true;
    }
    return RAS_OK;
}

static int read_choice(struct recipe_line *l, const char *word, struct recipe_prop *p)
{
    const char *const *choices = props[p->kind].choices;
    for (p->choice = 0; p->choice < 3 && choices[p->choice]; p->choice++)
        if (!strcmp(word, choices[p->choice]))
            return RAS_OK;
    return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: not %s, %s%s%s", l->number,
                word, choices[0], choices[1], choices[2] ? " or " : "",
                choices[2] ? choices[2] : "");
}

static int read_argument(struct recipe_line *l, const char *word, char kind, struct recipe_prop *p)
{
    if (strchr("ABFPGV", kind))
        return read_prop_field(l, word, kind, p);
    if (kind == 'n' || kind == 'k')
        return read_number(l, word, kind, p);
    return kind == 'c' ? read_choice(l, word, p) : read_bits(l, word, kind, p);
}

/* The rest of the line: two words each. */
static int read_pairs(struct recipe_line *l, unsigned from, char kind, struct recipe_prop *p)
{
    if ((l->count - from) % 2)
        return recipe_wrong(l, l->words[l->count - 1], "the last of an odd number of words");
    for (unsigned i = from; i < l->count; i += 2) {
        struct recipe_pair pair;
        if (!recipe_number(l->words[i], kind == 's' ? UINT64_MAX : UINT16_MAX, &pair.first))
            return recipe_wrong(l, l->words[i],
                                kind == 's' ? "not a cell" : "an agent is a number below 65536");
        if (!(kind == 's' ? recipe_hex(l->words[i + 1], 8, &pair.second)
                          : recipe_number(l->words[i + 1], UINT64_MAX, &pair.second)))
            return recipe_wrong(l, l->words[i + 1],
                                kind == 's' ? "not 8 hexadecimal digits" : "not a cell");
        if (!array_grow(&p->pairs, &p->pair_room, p->pair_count + 1, sizeof pair))
            return fail_memory(l->err);
        p->pairs[p->pair_count++] = pair;
    }
    return RAS_OK;
}

static int read_arguments(struct recipe_line *l, struct recipe_prop *p)
{
    const char *kinds = props[p->kind].arguments;
    unsigned fixed = (unsigned)strcspn(kinds, "sa");
    if (kinds[fixed] ? l->count < 2 + fixed : l->count != 2 + fixed)
        return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: %u arguments, %s %u",
                    l->number, l->words[1], l->count - 2, kinds[fixed] ? "at least" : "not", fixed);
    for (unsigned i = 0; i < fixed; i++) {
        int status = read_argument(l, l->words[2 + i], kinds[i], p);
        if (status < 0)
            return status;
    }
    return kinds[fixed] ? read_pairs(l, 2 + fixed, kinds[fixed], p) : RAS_OK;
}

/* The fields of a propagator whose statement names none. */
static int take_fixed(struct recipe_line *l, struct recipe_prop *p)
{
    const struct prop_row *row = &props[p->kind];
    if (strpbrk(row->arguments, "ABF"))
        return RAS_OK;
    p->reads = row->reads;
    p->beside = row->beside ? row->beside : RECIPE_NONE;
    p->writes = row->writes;
    p->also = row->also ? row->also : RECIPE_NONE;
    int status = mark_written(l, p->writes);
    if (status == RAS_OK && p->also != RECIPE_NONE)
        status = mark_written(l, p->also);
    return status == RAS_OK && p->kind == PROP_REFDIFFUSION ? mark_written(l, REF_GRADIENT)
                                                            : status;
}

static bool is_known_prop(const struct recipe *r, enum prop_kind kind)
{
    return (r->full || !props[kind].full_only) && (r->version == 2 || kind < PROP_SCALARDIFF);
}

static int read_prop(struct recipe_line *l)
{
    struct recipe *r = recipe_of(l);
    struct recipe_prop p = {.line = l->number, .beside = RECIPE_NONE, .also = RECIPE_NONE};
    if (l->count < 2)
        return recipe_wrong(l, "prop", "takes KIND and its arguments");
    while (p.kind < PROP_KINDS &&
           (strcmp(l->words[1], props[p.kind].word) != 0 || !is_known_prop(r, p.kind)))
        p.kind++;
    if (p.kind == PROP_KINDS)
        return recipe_wrong(l, l->words[1], "no such propagator in this world");
    if (r->prop_count == PROPS)
        return recipe_wrong(l, "prop", "a recipe has at most 256");
    if (!array_grow(&r->props, &r->prop_room, r->prop_count + 1, sizeof p))
        return fail_memory(l->err);
    struct recipe_prop *to = &r->props[r->prop_count++];
    *to = p;
    int status = read_arguments(l, to);
    return status < 0 ? status : take_fixed(l, to);
}

/* ---- the whole --------------------------------------------------------------------------- */

static bool needs_param(enum prop_kind kind)
{
    return strchr(props[kind].arguments, 'k');
}

/* One field of a propagator: it is there, has so many components (0: any), may be written. */
static int judge_field(const struct recipe *r, const struct recipe_prop *p, uint32_t field,
                       uint32_t components, bool written, struct ras_error *err)
{
    const char *name = prop_name(p->kind);
    if (field == RECIPE_NONE)
        return RAS_OK;
    if (field >= r->field_count)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: %s: there is no field %u, the last is %zu", p->line, name,
                    field, r->field_count - 1);
    if (written && r->fields[field].kind == FIELD_STATIC)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: %s: field %u is static: never written", p->line, name, field);
    if (components && r->fields[field].components != components)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: %s: a field of %u components, not %u", p->line, name,
                    r->fields[field].components, components);
    return RAS_OK;
}

static int judge_fields(const struct recipe *r, const struct recipe_prop *p, struct ras_error *err)
{
    const struct prop_row *row = &props[p->kind];
    int status = judge_field(r, p, p->reads, 0, false, err);
    if (status == RAS_OK)
        status = judge_field(r, p, p->writes, 0, true, err);
    if (status < 0)
        return status;
    uint32_t from = r->fields[p->reads].components, to = r->fields[p->writes].components;
    if (!row->outside && from != to)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: %s: fields of %u and %u components", p->line,
                    prop_name(p->kind), from, to);
    status = judge_field(r, p, p->reads, row->inside, false, err);
    if (status == RAS_OK)
        status = judge_field(r, p, p->writes, row->outside, true, err);
    if (status == RAS_OK)
        status = judge_field(r, p, p->beside, row->second, false, err);
    if (status == RAS_OK)
        status = judge_field(r, p, p->also, row->second, true, err);
    if (status == RAS_OK && p->kind == PROP_REFDIFFUSION)
        status = judge_field(r, p, REF_GRADIENT, 2, true, err);
    return status;
}

static int judge_prop(const struct recipe *r, const struct recipe_prop *p, struct ras_error *err)
{
    const char *name = prop_name(p->kind);
    int status = judge_fields(r, p, err);
    if (status < 0)
        return status;
    if (needs_param(p->kind) && !recipe_param(r->params, r->param_count, p->key))
        return fail(err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: there is no parameter %u",
                    p->line, name, p->key);
    bool square = r->space.kind == SPACE_SQUARE4 || r->space.kind == SPACE_SQUARE8;
    if (p->kind == PROP_EXAMPLE && (!square || p->number >= r->space.cells))
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "recipe line %u: example: needs a square space with cell %" PRIu64, p->line,
                    p->number);
    if (strchr(props[p->kind].arguments, 'd') && !isfinite(p->factor))
        return fail(err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: the factor is not finite",
                    p->line, name);
    for (size_t i = 0; p->kind == PROP_MOVEMENT && i < p->pair_count; i++)
        if (p->pairs[i].second >= r->space.cells)
            return fail(err, RAS_EFORMAT, RAS_NONE,
                        "recipe line %u: movement: an agent in cell %" PRIu64
                        ", the last is %" PRIu64,
                        p->line, p->pairs[i].second, r->space.cells - 1);
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
    for (size_t i = 0; i < r->prop_count; i++)
        free(r->props[i].pairs);
    free(r->space.parts);
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
    [PROP_CONST] = {"const", "Fw"},
    [PROP_COPYPREV] = {"copyprev", "F"},
    [PROP_COPY] = {"copy", "AB"},
    [PROP_HOLD] = {"hold", "F"},
    [PROP_DIFFUSE] = {"diffuse", "ABd", .spreads = true, .inside = 1, .outside = 1},
    [PROP_EXAMPLE] = {"example", "Fdnw", .inside = 1, .outside = 1},
    [PROP_FAIL] = {"fail", "Fn"},
    [PROP_PARAMFILL] = {"paramfill", "Fk", .full_only = true},
    [PROP_SCALE] = {"scale", "ABk", .full_only = true},
    [PROP_NOISE] = {"noise", "Fw", .full_only = true},
    [PROP_DIGEST] = {"digest", "F", .full_only = true},
    [PROP_SCALARDIFF] = {"scalardiff", "ABdeGlhs", false, true, 1, 1, 2},
    [PROP_GRADIENT] = {"gradient", "AB", false, true, 1, 2, 0},
    [PROP_FLOW] = {"flow", "ABc", false, true, 1, 2, 0, {"0", "1"}},
    [PROP_IDENTITY] = {"identity", "F"},
    [PROP_WAVE] = {"wave", "FVde", false, true, 1, 1, 1},
    [PROP_RESOURCE] = {"resource", "FPwxyc", false, false, 1, 1, 1, {"linear", "logistic"}},
    [PROP_EMISSION] = {"emission", "PFwc", false, false, 1, 1, 1, {"add", "set"}},
    [PROP_NOISEINJ] = {"noiseinj", "Fcdn", .choices = {"gaussian", "uniform", "saltpepper"}},
    [PROP_MORPH] = {"morph", "ABcnw", false, true, 1, 1, 0, {"dilate", "erode"}},
    [PROP_REFDIFFUSION] = {"refdiffusion",
                           "d",
                           false,
                           true,
                           1,
                           1,
                           2,
                           {NULL},
                           REF_HEAT,
                           REF_VELOCITY,
                           REF_HEAT,
                           REF_VELOCITY},
    [PROP_MOVEMENT] =
        {"movement", "a", false, false, 1, 1, 0, {NULL}, REF_PRESENCE, 0, REF_PRESENCE, 0},
    [PROP_REWARD] =
        {"reward", "wx", false, false, 1, 1, 1, {NULL}, REF_HEAT, REF_PRESENCE, REF_REWARD, 0},
};

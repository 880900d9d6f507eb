/* dial9_span_facts.c - the events of spans as facts: which dialect, which span, what a close says.
 */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const prefixes[] = {
    "SpanEnter:", "SpanEnter__", "SpanExit:", "SpanExit__", "SpanClose__", NULL};

const char *dial9_span_label(const char *schema)
{
    for (size_t i = 0; prefixes[i]; i++)
        if (!strncmp(schema, prefixes[i], strlen(prefixes[i])))
            return schema + strlen(prefixes[i]);
    return schema;
}

static bool callsite_line(const char *digits, uint64_t *line)
{
    *line = 0;
    if (!*digits)
        return false;
    for (; *digits; digits++) {
        if (*digits < '0' || *digits > '9' || *line > UINT32_MAX)
            return false;
        *line = *line * 10 + (uint64_t)(*digits - '0');
    }
    return true;
}

/* The last "::" before `end`, or NULL. */
static const char *last_colons(const char *text, const char *end)
{
    for (const char *p = end - 2; p >= text; p--)
        if (p[0] == ':' && p[1] == ':')
            return p;
    return NULL;
}

/* A single ':' after TARGET::NAME begins FILE, in which a drive letter may have another. */
static const char *single_colon(const char *text, const char *end)
{
    for (const char *p = text; p < end; p++) {
        if (*p != ':')
            continue;
        if (p + 1 < end && p[1] == ':')
            p++;
        else
            return p;
    }
    return NULL;
}

void dial9_span_callsite(const char *schema, struct span_callsite *c)
{
    const char *label = dial9_span_label(schema);
    *c = (struct span_callsite){.name = {(const uint8_t *)label, strlen(label)}, .line = RAS_NONE};
    const char *last = strrchr(label, ':');
    uint64_t line;
    if (label == schema || label[-1] != ':' || !last || !callsite_line(last + 1, &line))
        return;
    const char *file = single_colon(label, last);
    if (!file)
        return;
    const char *colons = last_colons(label, file);
    const char *name = colons ? colons + 2 : label;
    c->name = (struct ras_bytes){(const uint8_t *)name, (size_t)(file - name)};
    c->target = (struct ras_bytes){(const uint8_t *)label, colons ? (size_t)(colons - label) : 0};
    c->file = (struct ras_bytes){(const uint8_t *)file + 1, (size_t)(last - file - 1)};
    c->line = line;
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* A block with room: one that is free, or a new one. NULL: memory is short. */
static struct span_notes *note_block(struct span_book *b)
{
    struct span_notes *block = b->note_block ? b->notes[b->note_block - 1] : NULL;
    if (block && block->used < SPAN_NOTES_BLOCK)
        return block;
    uint32_t at = b->note_free;
    if (!at) {
        if (!array_grow(&b->notes, &b->note_room, b->note_count + 1, sizeof *b->notes))
            return NULL;
        block = malloc(sizeof *block);
        if (!block)
            return NULL;
        b->notes[b->note_count++] = block;
        at = (uint32_t)b->note_count;
        block->next_free = 0;
    }
    block = b->notes[at - 1];
    b->note_free = at == b->note_free ? block->next_free : b->note_free;
    block->used = block->left = 0;
    b->note_block = at;
    return block;
}

/* A new note, to be filled, and its number; NULL and RAS_NONE: memory is short. */
static inline struct span_note *note_new(struct dial9_stats *d, uint64_t *number)
{
    struct span_book *b = d->book;
    struct span_notes *block = note_block(b);
    *number = RAS_NONE;
    if (!block) {
        stats_nomem(d);
        return NULL;
    }
    block->left++;
    *number = (uint64_t)(b->note_block - 1) * SPAN_NOTES_BLOCK + block->used;
    return &block->at[block->used++];
}

static uint64_t note_keep(struct dial9_stats *d, const struct span_note *note)
{
    uint64_t number;
    struct span_note *n = note_new(d, &number);
    if (n)
        *n = *note;
    return number;
}

void dial9_span_note_free(struct span_book *b, uint64_t note)
{
    uint64_t at = note / SPAN_NOTES_BLOCK;
    if (at >= b->note_count)
        return;
    struct span_notes *block = b->notes[at];
    if (--block->left)
        return;
    if (at + 1 == b->note_block) {
        block->used = 0; /* go on in it */
    } else {
        block->next_free = b->note_free;
        b->note_free = (uint32_t)at + 1;
    }
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void note_attributes(struct span_note *n, const struct fact_event *e,
                            const struct ras_dial9_value *v)
{
    n->attributes = RAS_NONE;
    if (!v || v->type != RAS_DIAL9_STRING_MAP ||
        (uint64_t)(e->end - (const uint8_t *)v->at) > UINT32_MAX)
        return;
    n->attributes = (uint64_t)((const uint8_t *)v->at - e->base);
    n->attribute_count = v->count;
    n->attribute_bytes = (uint32_t)(e->end - (const uint8_t *)v->at);
}

static uint64_t close_note(struct dial9_stats *d, const struct fact_event *e,
                           const struct ras_dial9_value *const *v, uint32_t name)
{
    struct span_note n = {.start = dial9_fact_number(v[ROLE_START], RAS_NONE),
                          .first_enter = dial9_fact_number(v[ROLE_FIRST], RAS_NONE),
                          .active = dial9_fact_number(v[ROLE_ACTIVE], 0),
                          .parent = dial9_fact_number(v[ROLE_OTHER], RAS_NONE),
                          .line = dial9_fact_number(v[ROLE_LINE], RAS_NONE),
                          .unbalanced = dial9_fact_number(v[ROLE_UNBALANCED], 0),
                          .task = RAS_NONE,
                          .thread = RAS_NONE,
                          .name = name,
                          .target = dial9_fact_text(d, e, v[ROLE_TARGET]),
                          .file = dial9_fact_text(d, e, v[ROLE_FILE]),
                          .kind = NO_TEXT};
    note_attributes(&n, e, v[ROLE_ENTRIES]);
    return note_keep(d, &n);
}

/* A span that is one event: its length, or RAS_NONE, and a note. `v` are the numbers of its roles.
 */
struct whole_numbers {
    uint64_t start, duration, task, thread, end;
};

/* The largest number is one that is there, too. */
static uint64_t whole_number(bool there, uint64_t number)
{
    return there && number == RAS_NONE ? RAS_NONE - 1 : number;
}

static uint64_t native_number(const struct ras_dial9_value *v)
{
    return whole_number(v && v->type == RAS_DIAL9_VARINT, dial9_fact_number(v, RAS_NONE));
}

static uint64_t cell_number(const struct ras_value *v)
{
    return whole_number(v && v->kind == RAS_UINT, dial9_cell_number(v, RAS_NONE));
}

static void whole_fact(struct dial9_stats *d, const struct fact_schema *s,
                       const struct whole_numbers *v, struct fact *f)
{
    f->ref = f->ref == NO_TEXT ? s->name : f->ref;
    uint64_t end = v->end;
    struct span_note n = {.start = dial9_whole_start(s, v->start, v->duration, &end),
                          .first_enter = RAS_NONE,
                          .parent = RAS_NONE,
                          .line = RAS_NONE,
                          .task = v->task ? v->task : RAS_NONE,
                          .thread = v->thread,
                          .attributes = RAS_NONE,
                          .name = f->ref,
                          .target = NO_TEXT,
                          .file = NO_TEXT,
                          .kind = s->kind_text};
    f->other = n.start == RAS_NONE ? RAS_NONE : end - n.start;
    f->id = f->other == RAS_NONE ? RAS_NONE : note_keep(d, &n);
}

bool dial9_span_fact(struct dial9_stats *d, const struct fact_event *e, const struct fact_schema *s,
                     const struct ras_dial9_value *const *v, struct fact *f)
{
    if (f->kind == FACT_SPAN_WHOLE) {
        f->small = SPAN_SINGLE;
        whole_fact(d, s,
                   &(struct whole_numbers){.start = native_number(v[ROLE_START]),
                                           .duration = native_number(v[ROLE_ACTIVE]),
                                           .task = dial9_fact_number(v[ROLE_TASK], 0),
                                           .thread = dial9_fact_number(v[ROLE_TID], RAS_NONE),
                                           .end = e->time_ns},
                   f);
        return true;
    }
    uint64_t instance = v[ROLE_INSTANCE] ? dial9_fact_number(v[ROLE_INSTANCE], 0) : 0;
    if (!instance) {
        f->other = dial9_fact_number(v[ROLE_OTHER], RAS_NONE);
        f->small = SPAN_LEGACY;
        d->book->without_id += !f->id;
        return f->id != 0; /* 0 is the id of no span */
    }
    f->small = SPAN_MODERN;
    f->id = instance;
    if (f->kind == FACT_SPAN_CLOSE) {
        f->other = close_note(d, e, v, f->ref);
        return true;
    }
    f->other = dial9_fact_number(v[ROLE_TID], RAS_NONE);
    f->ref = f->ref == NO_TEXT ? s->name : f->ref;
    return true;
}

/* ---- facts of numbers ------------------------------------------------------------------------ */

static const uint8_t stay_places[ROLE_COUNT] = {
    [ROLE_INSTANCE] = PLACE_INSTANCE, [ROLE_TID] = PLACE_THREAD, [ROLE_WORKER] = PLACE_WORKER};
static const uint8_t close_places[ROLE_COUNT] = {
    [ROLE_INSTANCE] = PLACE_INSTANCE, [ROLE_START] = PLACE_START,
    [ROLE_FIRST] = PLACE_FIRST,       [ROLE_ACTIVE] = PLACE_ACTIVE,
    [ROLE_OTHER] = PLACE_PARENT,      [ROLE_LINE] = PLACE_LINE,
    [ROLE_TEXT] = PLACE_NAME,         [ROLE_UNBALANCED] = PLACE_UNBALANCED,
    [ROLE_TARGET] = PLACE_TARGET,     [ROLE_FILE] = PLACE_FILE,
    [ROLE_ENTRIES] = PLACE_ATTRIBUTES};

/* Whether a value of this type has a meaning in a place: see dial9_fact_number(),
 * dial9_fact_text() and note_attributes(). */
static bool suits_place(uint8_t type, uint8_t place, bool is_close)
{
    switch (type) {
    case RAS_DIAL9_VARINT:
    case RAS_DIAL9_U8:
    case RAS_DIAL9_U16:
    case RAS_DIAL9_U32:
    case RAS_DIAL9_BOOL:
    case RAS_DIAL9_I64:
        return !is_close || place < PLACE_NAME;
    case RAS_DIAL9_POOLED_STRING:
        return is_close && place >= PLACE_NAME && place < PLACE_ATTRIBUTES;
    case RAS_DIAL9_STRING_MAP:
        return is_close && place == PLACE_ATTRIBUTES;
    default:
        return false;
    }
}

/* The places of all fields. False: two of them have one, a text is not in a pool, an enter has a
 * name of its own, or none is the instance. */
static bool find_places(const struct fact_schema *s, const struct ras_dial9_schema *native,
                        uint8_t *places)
{
    const bool is_close = s->kind == FACT_SPAN_CLOSE;
    uint32_t taken = 1u << PLACE_NONE, used = 0;
    for (unsigned i = 0; i < native->field_count; i++) {
        uint8_t type = native->fields[i].type & (uint8_t)~RAS_DIAL9_OPTIONAL;
        uint8_t place = (is_close ? close_places : stay_places)[s->roles[i]];
        if ((!is_close && s->roles[i] == ROLE_TEXT) ||
            (place && (taken >> place & 1 || type == RAS_DIAL9_STRING)))
            return false;
        taken |= 1u << place;
        places[i] = suits_place(type, place, is_close) ? place : PLACE_NONE;
        used |= 1u << places[i];
    }
    return used >> PLACE_INSTANCE & 1;
}

void dial9_span_places(struct dial9_stats *d, struct fact_schema *s,
                       const struct ras_dial9_schema *native)
{
    if ((s->kind != FACT_SPAN_ENTER && s->kind != FACT_SPAN_EXIT && s->kind != FACT_SPAN_CLOSE) ||
        s->metrics)
        return;
    s->places = calloc(native->field_count + 1u, 1);
    if (!s->places) {
        stats_nomem(d);
    } else if (!find_places(s, native, s->places)) {
        free(s->places);
        s->places = NULL;
    }
}

void dial9_close_numbers(struct dial9_stats *d, const struct fact_event *e,
                         const uint64_t v[CLOSE_PLACES], struct fact *f)
{
    struct span_note *n = note_new(d, &f->other);
    if (!n)
        return;
    /* One by one: the compiler would clear all of it first. */
    n->start = v[PLACE_START];
    n->first_enter = v[PLACE_FIRST];
    n->active = v[PLACE_ACTIVE];
    n->parent = v[PLACE_PARENT];
    n->line = v[PLACE_LINE];
    n->unbalanced = v[PLACE_UNBALANCED];
    n->task = n->thread = n->attributes = RAS_NONE;
    n->attribute_count = n->attribute_bytes = 0;
    n->name = dial9_pooled_text(d, e, v[PLACE_NAME]);
    n->target = dial9_pooled_text(d, e, v[PLACE_TARGET]);
    n->file = dial9_pooled_text(d, e, v[PLACE_FILE]);
    n->kind = NO_TEXT;
    f->ref = n->name;
    if (v[PLACE_ATTRIBUTES] == RAS_NONE)
        return;
    /* Spec "StringMap": a count, then the pairs. */
    const uint8_t *map = e->base + v[PLACE_ATTRIBUTES];
    note_attributes(n, e,
                    &(struct ras_dial9_value){.type = RAS_DIAL9_STRING_MAP,
                                              .count = load_u32(map),
                                              .at = map + sizeof(uint32_t)});
}

/* ---- facts of records ------------------------------------------------------------------------ */

/* A close without its texts, which are not shown twice. */
static uint64_t record_note(struct dial9_stats *d, const struct ras_value *const *v, uint32_t name)
{
    return note_keep(d, &(struct span_note){.start = dial9_cell_number(v[ROLE_START], RAS_NONE),
                                            .first_enter = RAS_NONE,
                                            .active = dial9_cell_number(v[ROLE_ACTIVE], 0),
                                            .parent = dial9_cell_number(v[ROLE_OTHER], RAS_NONE),
                                            .line = RAS_NONE,
                                            .attributes = RAS_NONE,
                                            .name = name,
                                            .target = NO_TEXT,
                                            .file = NO_TEXT,
                                            .kind = NO_TEXT});
}

void dial9_span_record_fact(struct dial9_stats *d, const struct fact_schema *s,
                            const struct ras_value *const *v, struct fact *f)
{
    if (f->kind == FACT_SPAN_WHOLE) {
        f->small = SPAN_SINGLE;
        whole_fact(d, s,
                   &(struct whole_numbers){.start = cell_number(v[ROLE_START]),
                                           .duration = cell_number(v[ROLE_ACTIVE]),
                                           .task = dial9_cell_number(v[ROLE_TASK], 0),
                                           .thread = dial9_cell_number(v[ROLE_TID], RAS_NONE),
                                           .end = f->time_ns},
                   f);
        return;
    }
    uint64_t instance = dial9_cell_number(v[ROLE_INSTANCE], 0);
    f->other = dial9_cell_number(v[ROLE_OTHER], RAS_NONE);
    f->small = SPAN_LEGACY;
    if (!instance)
        return;
    f->small = SPAN_MODERN;
    f->id = instance;
    if (f->kind == FACT_SPAN_CLOSE) {
        f->other = record_note(d, v, f->ref);
        return;
    }
    f->other = dial9_cell_number(v[ROLE_TID], RAS_NONE);
    f->ref = f->ref == NO_TEXT ? s->name : f->ref;
}

/* scene.c - the things of ticks, packed for a map, and what all ticks of a trace cover.
 *
 * A tick is found through the format's own index where it has one, since an answer must not wait
 * for a walk over the whole trace. */
#include "view/scene.h"
#include "base/memory.h"
#include "codec/fnv1a.h"

#include <math.h>
#include <stdlib.h>

unsigned scene_kind_count(const struct scene_ops *ops)
{
    unsigned count = 0;
    while (ops && ops->kinds && count < SCENE_KINDS_MOST && ops->kinds[count].name)
        count++;
    return count;
}

int scene_kind_of(const struct scene_ops *ops, const char *type, int last)
{
    unsigned count = scene_kind_count(ops);
    for (unsigned i = (unsigned)(last + 1); i < count; i++)
        if (!strcmp(ops->kinds[i].type, type))
            return (int)i;
    return -1;
}

/* A cursor over all records that are of a kind. */
static int scene_open(struct ras_cursor **c, struct ras_trace *t, struct ras_error *err)
{
    struct ras_pick picks[SCENE_KINDS_MOST];
    const struct scene_ops *ops = t->format->scene;
    unsigned count = scene_kind_count(ops), used = 0;
    for (unsigned i = 0; i < count; i++)
        if (scene_kind_of(ops, ops->kinds[i].type, -1) == (int)i)
            picks[used++] = (struct ras_pick){.type = ops->kinds[i].type};
    if (!used) {
        *c = NULL;
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces have nothing to draw on a map",
                    t->format->about.name);
    }
    return ras_cursor_open(c, t, &(struct ras_scan){.picks = picks, .pick_count = used}, err);
}

/* The thing that the cursor's record is; false: none, or nowhere. */
static bool scene_read(const struct scene_ops *ops, const struct ras_cursor *c,
                       struct scene_item *item)
{
    const char *type = ras_schema_of(c)->name;
    for (int kind = -1; (kind = scene_kind_of(ops, type, kind)) >= 0;) {
        *item = (struct scene_item){.kind = (unsigned)kind, .heading = NAN, .size = NAN};
        if (ops->item(c, item))
            return isfinite(item->x) && isfinite(item->y);
    }
    return false;
}

/* ---- packed --------------------------------------------------------------------------------- */

/* All values of a record, so that a page sees whether two are the same. */
static uint32_t scene_hash(const struct ras_cursor *c)
{
    size_t count;
    const struct ras_value *v = ras_values(c, &count);
    uint64_t hash = FNV1A_START;
    for (size_t i = 0; i < count; i++) {
        bool text = v[i].kind == RAS_STR || v[i].kind == RAS_BLOB;
        hash = (hash ^ v[i].kind) * FNV1A_PRIME;
        hash = fnv1a_bytes(hash, &v[i].count, sizeof v[i].count);
        if (text)
            hash = fnv1a_bytes(hash, v[i].at, v[i].count);
        else if (v[i].kind == RAS_F32)
            hash = fnv1a_bytes(hash, &v[i].f32, sizeof v[i].f32);
        else if (v[i].kind != RAS_LIST && v[i].kind != RAS_MAP && v[i].kind != RAS_NULL)
            hash = fnv1a_bytes(hash, &v[i].u, sizeof v[i].u);
    }
    return (uint32_t)(hash ^ hash >> 32);
}

static uint8_t *store_f32(uint8_t *p, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return store_u32(p, bits);
}

static int32_t scene_type(int64_t type)
{
    return type > INT32_MAX ? INT32_MAX : type < INT32_MIN ? INT32_MIN : (int32_t)type;
}

static void put_item(struct out *out, const struct scene_item *item, uint32_t hash)
{
    uint8_t *p = out_reserve(out, SCENE_ITEM_SIZE);
    bool headed = !isnan(item->heading), sized = !isnan(item->size);
    if (!p)
        return;
    p = store_u64(p, item->id);
    p = store_u32(p, hash);
    p = store_u32(p, (uint32_t)scene_type(item->type));
    p = store_f32(p, item->x);
    p = store_f32(p, item->y);
    p = store_f32(p, headed ? item->heading : 0);
    p = store_f32(p, sized ? item->size : 0);
    p = store_u8(p, (uint8_t)item->kind);
    p = store_u8(p, (uint8_t)((item->active ? SCENE_ACTIVE : 0) | (headed ? SCENE_HEADED : 0) |
                              (sized ? SCENE_SIZED : 0)));
    p = store_u16(p, 0);
    store_u32(p, item->number);
    out->len += SCENE_ITEM_SIZE;
}

/* The items of ticks [from, from + *count) to `items`; firsts[i] is the first one of tick from + i.
 */
static int pack_items(struct ras_cursor *c, const struct scene_ops *ops, uint64_t from,
                      uint32_t *count, uint32_t *firsts, struct out *items, struct ras_error *err)
{
    const struct ras_record *r;
    uint32_t tick = 0; /* the current one, from `from` on */
    uint32_t n = 0;
    int status;
    firsts[0] = 0;
    while ((status = ras_next(c, &r, err)) == RAS_OK && r->tick - from < *count) {
        struct scene_item item;
        if (!(r->flags & RAS_HAS_TICK) || r->tick - from < tick || !scene_read(ops, c, &item))
            continue;
        while (tick < r->tick - from)
            firsts[++tick] = n;
        put_item(items, &item, scene_hash(c));
        n++;
        if (items->len > SCENE_BYTES_MOST && tick) { /* this tick is for the next answer */
            n = firsts[tick];
            *count = tick;
            break;
        }
    }
    while (tick < *count)
        firsts[++tick] = n;
    return status < 0 ? status : RAS_OK;
}

static void pack_head(struct out *out, uint64_t from, uint32_t count, const uint32_t *firsts,
                      uint32_t generation)
{
    uint32_t table = (count + 1) * 4, pad = table % 8, items = firsts[count];
    uint8_t head[SCENE_HEAD_SIZE], *p = head;
    p = store_u32(p, SCENE_MAGIC);
    p = store_u32(p, (uint32_t)(SCENE_HEAD_SIZE + table + pad + items * SCENE_ITEM_SIZE));
    p = store_u64(p, from);
    p = store_u32(p, count);
    p = store_u32(p, items);
    p = store_u32(p, generation);
    p = store_u32(p, SCENE_ITEM_SIZE);
    store_u64(p, 0);
    out_bytes(out, head, sizeof head);
    for (uint32_t i = 0; i <= count; i++) {
        uint8_t first[4];
        store_u32(first, firsts[i]);
        out_bytes(out, first, sizeof first);
    }
    out_bytes(out, "\0\0\0\0", pad);
}

int scene_pack(struct out *out, struct ras_trace *t, uint64_t from, uint32_t count,
               uint32_t generation, struct ras_error *err)
{
    uint32_t firsts[SCENE_TICKS_MOST + 1];
    struct out items = {0};
    struct ras_cursor *c = NULL;
    count = count < SCENE_TICKS_MOST ? count : SCENE_TICKS_MOST;
    if (count > UINT64_MAX - from)
        count = 0;
    firsts[0] = 0;
    int status = scene_open(&c, t, err);
    if (status == RAS_OK && count)
        status = ras_seek(c, RAS_AXIS_TICK, from, err);
    if (status == RAS_OK && count)
        status = pack_items(c, t->format->scene, from, &count, firsts, &items, err);
    if (status == RAS_OK) {
        pack_head(out, from, count, firsts, generation);
        out_bytes(out, items.at, (size_t)firsts[count] * SCENE_ITEM_SIZE);
        if (items.failed || out->failed)
            status = fail_memory(err);
    }
    ras_cursor_close(c);
    out_free(&items);
    return status;
}

/* ---- survey --------------------------------------------------------------------------------- */

/* Half as many points, each of twice as many ticks. */
static void curve_halve(struct scene_curve *v)
{
    for (size_t i = 0; i < v->count; i += 2) {
        uint32_t a = v->at[i], b = i + 1 < v->count ? v->at[i + 1] : 0;
        v->at[i / 2] = a > b ? a : b;
    }
    v->count = (v->count + 1) / 2;
    v->every *= 2;
}

bool scene_curve_put(struct scene_curve *v, uint64_t place, uint32_t value)
{
    v->every = v->every ? v->every : 1;
    while (place / v->every >= SCENE_CURVE_MOST && v->every <= UINT64_MAX / 2)
        curve_halve(v);
    size_t i = (size_t)(place / v->every);
    if (i >= SCENE_CURVE_MOST)
        return true;
    if (!array_grow(&v->at, &v->room, i + 1, sizeof *v->at))
        return false;
    while (v->count <= i)
        v->at[v->count++] = 0;
    v->at[i] = value > v->at[i] ? value : v->at[i];
    return true;
}

static void survey_flush(struct scene_survey *s, unsigned kinds)
{
    for (unsigned i = 0; s->any && i < kinds; i++) {
        if (!scene_curve_put(&s->curves[i], s->tick - s->first, s->now[i]))
            s->nomem = true;
        s->now[i] = 0;
    }
}

static void survey_item(struct scene_survey *s, const struct scene_item *item)
{
    const double x = item->x, y = item->y;
    if (!s->placed) {
        s->box[0] = s->box[2] = x;
        s->box[1] = s->box[3] = y;
        s->placed = true;
    }
    s->box[0] = x < s->box[0] ? x : s->box[0];
    s->box[1] = y < s->box[1] ? y : s->box[1];
    s->box[2] = x > s->box[2] ? x : s->box[2];
    s->box[3] = y > s->box[3] ? y : s->box[3];
    s->now[item->kind] += item->active && !(item->size <= 0);
}

int scene_survey(struct scene_survey *s, struct ras_trace *t, ras_progress *progress, void *user,
                 struct ras_error *err)
{
    enum { EVERY = 4096 };
    const struct scene_ops *ops = t->format->scene;
    unsigned kinds = scene_kind_count(ops), steps = 0;
    struct ras_cursor *c = NULL;
    const struct ras_record *r;
    struct scene_item item;
    int status = scene_open(&c, t, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK && !s->nomem) {
        uint64_t total,
            done = progress && ++steps % EVERY == 0 ? ras_cursor_progress(c, &total) : 0;
        if (done && !progress(user, done, total))
            status = fail_canceled(err);
        if (!(r->flags & RAS_HAS_TICK) || (s->any && r->tick < s->tick))
            continue; /* ticks that descend: a damaged part, or a second run */
        if (!s->any || r->tick != s->tick) {
            survey_flush(s, kinds);
            s->first = s->any ? s->first : r->tick;
            s->any = true;
            s->tick = s->last = r->tick;
        }
        if (scene_read(ops, c, &item))
            survey_item(s, &item);
    }
    survey_flush(s, kinds);
    ras_cursor_close(c);
    if (s->nomem)
        return fail_memory(err);
    return status < 0 ? status : RAS_OK;
}

void scene_survey_free(struct scene_survey *s)
{
    for (unsigned i = 0; i < SCENE_KINDS_MOST; i++)
        free(s->curves[i].at);
    *s = (struct scene_survey){0};
}

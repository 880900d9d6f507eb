/* cdt_uids.c - which entities the pools of two ticks have, matched by uid. */
#include "formats/cdt/cdt_compare.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>

#define AT(name) offsetof(struct ras_cdt_entity_samples_snapshot, name)
const struct cdt_pool cdt_pools[CDT_POOLS] = {
    {"creatures", "creature", &cdt_creature_entity_sample, AT(creatures)},
    {"projectiles", "projectile", &cdt_projectile_entity_sample, AT(projectiles)},
    {"secondary_projectiles", "secondary_projectile", &cdt_secondary_projectile_entity_sample,
     AT(secondary_projectiles)},
    {"bonuses", "bonus", &cdt_bonus_entity_sample, AT(bonuses)},
};

/* Every pool's rows begin alike: a node, and the uid as the first member. */
struct row_head {
    struct ras_cdt_node node;
    int64_t uid;
};
_Static_assert(
    offsetof(struct ras_cdt_creature_entity_sample, uid) == offsetof(struct row_head, uid) &&
        offsetof(struct ras_cdt_projectile_entity_sample, uid) == offsetof(struct row_head, uid) &&
        offsetof(struct ras_cdt_secondary_projectile_entity_sample, uid) ==
            offsetof(struct row_head, uid) &&
        offsetof(struct ras_cdt_bonus_entity_sample, uid) == offsetof(struct row_head, uid),
    "spec: uid is the first member of every entity sample");

int cdt_uid_order(const struct ras_cdt_int *a, const struct ras_cdt_int *b)
{
    if (a->wide != b->wide)
        return a->wide ? 1 : -1;
    if (a->wide)
        return (uint64_t)a->value < (uint64_t)b->value ? -1 : a->value != b->value;
    return a->value < b->value ? -1 : a->value > b->value;
}

static int by_uid(const void *a, const void *b)
{
    const struct cdt_uid *x = a, *y = b;
    int order = cdt_uid_order(&x->uid, &y->uid);
    return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

struct ras_cdt_int cdt_uid_of(const void *row)
{
    const struct row_head *head = row;
    return (struct ras_cdt_int){head->uid, head->node.wide & 1};
}

void cdt_find_uids(struct cdt_diff *c, int side, const struct cdt_pool *pool, struct cdt_list rows)
{
    struct cdt_uids *u = &c->uids[side];
    u->count = u->row_count = 0;
    if (!array_grow(&u->at, &u->room, rows.count, sizeof *u->at) ||
        !array_grow(&u->rows, &u->row_room, rows.count, sizeof *u->rows)) {
        c->doc->cells.nomem = true;
        return;
    }
    for (size_t i = 0; i < rows.count; i++)
        u->at[i] = u->rows[i] =
            (struct cdt_uid){cdt_uid_of(rows.at + i * pool->of->size), i, false};
    u->row_count = rows.count;
    if (rows.count)
        qsort(u->at, rows.count, sizeof *u->at, by_uid);
    for (size_t i = 0; i < rows.count; i++) {
        bool again = u->count && !cdt_uid_order(&u->at[u->count - 1].uid, &u->at[i].uid);
        u->rows[u->at[i].row].again = again;
        u->at[again ? u->count - 1 : u->count++] = u->at[i]; /* the last row wins */
    }
}

void cdt_doc_missing_uids(struct document *d, const struct cdt_uids *of,
                          const struct cdt_uids *other)
{
    size_t list = document_open(d, RAS_LIST);
    for (size_t i = 0, k = 0; i < of->count; i++) {
        while (k < other->count && cdt_uid_order(&other->at[k].uid, &of->at[i].uid) < 0)
            k++;
        if (k < other->count && !cdt_uid_order(&other->at[k].uid, &of->at[i].uid))
            continue;
        if (of->at[i].uid.wide)
            document_uint(d, (uint64_t)of->at[i].uid.value);
        else
            document_int(d, of->at[i].uid.value);
    }
    document_close(d, list);
}

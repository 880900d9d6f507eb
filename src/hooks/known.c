/* known.c - the functions that were called, by address.
 *
 * Who looks takes no lock: an entry is published by its address, and a table that is too
 * full is replaced by a larger copy. Replaced ones stay, since nobody knows who still
 * looks; together they are smaller than the last. */
#include "hooks/choice.h"

enum { FIRST_SHIFT = 52 }; /* 4096 entries */

static struct known first_entries[2][(size_t)1 << (64 - FIRST_SHIFT)];
static struct known_table first[2] = {
    {.shift = FIRST_SHIFT, .mask = ((size_t)1 << (64 - FIRST_SHIFT)) - 1, .at = first_entries[0]},
    {.shift = FIRST_SHIFT, .mask = ((size_t)1 << (64 - FIRST_SHIFT)) - 1, .at = first_entries[1]}};

struct known_table *known_table = &first[0];
struct known_table *thunk_table = &first[1];

static void put(struct known_table *t, uintptr_t address, uint64_t id)
{
    size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> t->shift);
    while (t->at[i].address)
        i = (i + 1) & t->mask;
    t->at[i].id = id;
    STORE_RELEASE(&t->at[i].address, address);
    t->count++;
}

/* A copy with room for more, without the stretch [from, to). */
static bool replace(struct known_table **table, unsigned shift, uintptr_t from, uintptr_t to)
{
    struct known_table *old = *table;
    size_t room = (size_t)1 << (64 - shift);
    struct known_table *t = hooks_memory(sizeof *t + room * sizeof *t->at);
    if (!t)
        return false;
    *t = (struct known_table){.shift = shift, .mask = room - 1, .at = (struct known *)(t + 1)};
    for (size_t i = 0; i <= old->mask; i++) {
        uintptr_t address = old->at[i].address;
        if (address && (address < from || address >= to))
            put(t, address, old->at[i].id);
    }
    STORE_RELEASE(table, t);
    return true;
}

bool known_put(struct known_table **table, uintptr_t address, uint64_t id)
{
    struct known_table *t = *table;
    if (t->count > t->mask / 2 && !replace(table, t->shift - 1, 0, 0))
        return false;
    put(*table, address, id);
    return true;
}

static uint64_t learn(uintptr_t address)
{
    uint64_t id = known_find(address);
    if (id)
        return id; /* another thread was faster */
    struct loaded *module = loaded_find(address);
    if (!module)
        return 0;
    id = choice_of(module, address);
    return id && known_put(&known_table, address, id) ? id : 0;
}

uint64_t known_learn(uintptr_t address)
{
    struct held held;
    hooks_lock(&held);
    uint64_t id = learn(address);
    hooks_unlock(&held);
    if (hooks.options.durable && id && !(id & CALL_IGNORED))
        loaded_map_wait(); /* the event is on its way to a file at once */
    return id;
}

/* With hooks.lock held. */
void known_forget(uintptr_t from, uintptr_t to)
{
    if (!replace(&known_table, known_table->shift, from, to))
        STORE_RELEASE(&hooks.state, HOOKS_OFF); /* better nothing than wrong names */
}

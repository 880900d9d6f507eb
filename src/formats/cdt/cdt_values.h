/* cdt_values.h - typed structs as cells of a record or a report. */
#ifndef CDT_VALUES_H
#define CDT_VALUES_H

#include "core/document.h"
#include "formats/cdt/cdt_driver.h"

/* The layout of lists, whatever they hold. */
struct cdt_list {
    const uint8_t *at;
    size_t count;
};

/* Adds a struct as a map, members in the order of declaration, nil as null. With `masked`, fields
 * that a capture of the original game cannot know are left out: events.hit_head, and reward_value,
 * xp_awarded and owner_id of deaths. */
void cdt_doc_struct(struct document *, const struct cdt_struct *, const void *at, bool masked);
/* Adds only its members, to an open map. */
void cdt_doc_members(struct document *, const struct cdt_struct *, const void *at, bool masked);
/* Adds one member; `node` is that of its struct. */
void cdt_doc_member(struct document *, const struct cdt_field *, const void *member,
                    const struct ras_cdt_node *node, unsigned index, bool masked);
void cdt_doc_list(struct document *, const struct cdt_struct *of, struct cdt_list, bool masked);

/* Adds a tick's number. */
void cdt_doc_tick(struct document *, const struct ras_cdt_tick_record *);

#endif

/* cdt_values.h - typed structs as cells of a record or a report. */
#ifndef CDT_VALUES_H
#define CDT_VALUES_H

#include "core/document.h"
#include "formats/cdt/cdt_driver.h"

/* What lists look like, whatever they hold. */
struct cdt_list {
    const uint8_t *at;
    size_t count;
};

/* A struct as a map, its members in the order of their declaration, nil as null. With
 * `masked`, less what a capture of the original game cannot know: events.hit_head, and
 * reward_value, xp_awarded and owner_id of deaths. */
void cdt_doc_struct(struct document *, const struct cdt_struct *, const void *at, bool masked);
/* Its members alone, into a map that is open. */
void cdt_doc_members(struct document *, const struct cdt_struct *, const void *at, bool masked);
/* One member; `node` is that of the struct which has it. */
void cdt_doc_member(struct document *, const struct cdt_field *, const void *member,
                    const struct ras_cdt_node *node, unsigned index, bool masked);
void cdt_doc_list(struct document *, const struct cdt_struct *of, struct cdt_list, bool masked);

/* A tick's number. */
void cdt_doc_tick(struct document *, const struct ras_cdt_tick_record *);

#endif

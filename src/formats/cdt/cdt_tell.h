/* cdt_tell.h - typed structs as values of a document, and compared as they are. */
#ifndef CDT_TELL_H
#define CDT_TELL_H

#include "core/document.h"
#include "formats/cdt/cdt_driver.h"

/* What lists look like, whatever they hold. */
struct cdt_list {
    const uint8_t *at;
    size_t count;
};

/* cdt_values.c: where cells of a typed struct go. In a record texts are borrowed, and lists that
 * are records of their own are left out; in a report texts are copied, nothing is left out, and
 * a map has each key once. */
struct cdt_put {
    struct cells *to;
    struct arena *texts; /* of a report; NULL: a record */
    unsigned field;      /* of a record */
    bool masked;         /* of a report: see cdt_doc_struct() */
};
void cdt_put_struct(const struct cdt_put *, const struct cdt_struct *, const void *at);
void cdt_put_members(const struct cdt_put *, const struct cdt_struct *, const void *at);
/* One member; `node` is its struct's, NULL for a struct without one. */
void cdt_put_member(const struct cdt_put *, const struct cdt_field *, unsigned member,
                    const struct ras_cdt_node *node, const void *v);
void cdt_put_list(const struct cdt_put *, const struct cdt_struct *of, struct cdt_list);

/* Timers as a dict has them: of equal keys the last is the value, at the place of the first. The
 * array ends with one that has no `first`; free it. NULL: out of memory. */
struct cdt_timer {
    const struct ras_cdt_timer *first, *last;
};
struct cdt_timer *cdt_timers_merge(const struct cdt_list *);

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

/* Whether two structs hold the same values; floats by value, so that NaN differs from
 * itself and the zeros are one. Timers are looked at in their order: unequal ones may still be
 * the same map. */
bool cdt_equal(const struct cdt_struct *, const void *a, const void *b);
bool cdt_lists_equal(const struct cdt_struct *of, struct cdt_list a, struct cdt_list b);
#endif

/* cdt_strict.h - container 2 as its reference reader judges it: the first rule that a trace breaks,
 * in that reader's words.
 *
 * Reading is tolerant: what can be decoded is shown. These functions are for the verbs that report
 * what the reference would say. */
#ifndef CDT_STRICT_H
#define CDT_STRICT_H

#include "formats/cdt/cdt_driver.h"

enum { CDT_TEXT = 512 };
struct cdt_text {
    char text[CDT_TEXT];
    bool nomem; /* set by cdt_container_holds(): memory was short, and nothing is known */
};
/* Sets the text; returns false, so that a rule can end with it. */
bool cdt_breaks(struct cdt_text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* cdt_shape.c: whether a payload has the keys and the kinds of values of a struct. `path` is how
 * the reference calls it. False: the text says what it has not. */
bool cdt_shape_holds(const struct cdt_struct *, struct ras_bytes payload, const char *path,
                     struct cdt_text *);

/* cdt_rules2.c: what must hold for decoded structs. The part of a tick that a rule is about. */
enum cdt_topic {
    CDT_OK,
    CDT_ABOUT_TICK,
    CDT_ABOUT_STEP,
    CDT_ABOUT_CHECKPOINT,
    CDT_ABOUT_SIM,
    CDT_ABOUT_SOURCE,
    CDT_ABOUT_TIMING,
    CDT_ABOUT_RNG,
    CDT_ABOUT_ENTITIES,
    CDT_ABOUT_FLOATS,
};
bool cdt_meta_rules(const struct cdt_meta *, struct cdt_text *);
/* `source` is META's, NULL: it cannot be used. */
enum cdt_topic cdt_tick_rules(const struct cdt_model *, const struct ras_cdt_tick_record *,
                              const struct ras_cdt_trace_source *source, struct cdt_text *);
/* The CRC-32 of the callers of a tick, as schema 20 defines it. */
uint32_t cdt_callers_crc(const struct ras_cdt_tick_record *);

/* cdt_strict.c: header, META, footer and index. `lenient`: as `health` opens a trace, without the
 * rules for contiguous ticks. `name` is the file's. */
bool cdt_container_holds(struct ras_trace *, bool lenient, struct cdt_text *);
/* The block of an index entry: its chunk against the entry, then its shape; and what must hold for
 * its rows. `block` is decoded, or why it was not is in `status` and `ours`. */
bool cdt_entry_holds(struct ras_trace *, const struct ras_cdt_tick_block_index_entry *,
                     const struct cdt_block *block, int status, const struct ras_error *ours,
                     const char *path, struct cdt_text *);
bool cdt_block_holds(struct ras_trace *, const struct ras_cdt_tick_block_index_entry *,
                     const struct ras_cdt_tick_block *, struct cdt_text *);
#endif

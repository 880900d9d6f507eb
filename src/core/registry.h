/* registry.h - the list of formats, and which one a source is of. */
#ifndef CORE_REGISTRY_H
#define CORE_REGISTRY_H

#include "core/format.h"

const struct ras_format *registry_at(size_t i);
const struct ras_format *registry_find(const char *name);
/* There is no format of that name: which there are, and which is near. RAS_EUSAGE. */
int registry_unknown(const char *name, struct ras_error *);
/* Whether a row can be used: it has what every row must have, and no member without the one that it
 * goes with. RAS_EUSAGE says what is wrong. */
int registry_check(const struct ras_format *, struct ras_error *);
/* Whether the format sees a trace of its own in the source. */
bool registry_probe(const struct ras_format *, const struct source *);
/* The format whose probe is surest; NULL with err filled when none or several are. */
const struct ras_format *registry_detect(const struct source *, struct ras_error *);
/* The same among the formats given. */
const struct ras_format *registry_choose(const struct ras_format *const *, size_t count,
                                         const struct source *, struct ras_error *);
/* Report how sure each probe is of the source, and which format `won`; NULL: none. */
void registry_explain(const struct source *, const struct ras_format *won);

/* Whether a verb takes these choices for a format. RAS_EUNSUPPORTED: one is refused;
 * RAS_EUSAGE: no format has one of that name for the verb. */
int choices_check(const struct ras_format *, const char *verb, const struct ras_choice *,
                  size_t count, struct ras_error *);
/* A copy of those that the format has, whose names are the rows' own. NULL: memory is short. */
struct ras_choice *choices_copy(const struct ras_format *, const struct ras_choice *,
                                size_t *count);
#endif

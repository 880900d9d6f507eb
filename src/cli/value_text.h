/* value_text.h - values of a trace on one line of text, for printers of details. */
#ifndef CLI_VALUE_TEXT_H
#define CLI_VALUE_TEXT_H

#include "cli/detail_text.h"

bool is_text(const struct ras_value *);
/* A list of only numbers and texts, which fits on a line. */
bool is_flat_list(const struct ras_value *);
/* Two scalars; two values with all that is inside them. */
bool values_same(const struct ras_value *, const struct ras_value *);
bool all_same(const struct ras_value *, const struct ras_value *);
/* A value, shortened; sets the page's flag. */
void put_one(struct page *, const struct ras_value *);
/* Members as KEY=VALUE, those of maps with dots between their names. `unlike`: only members that
 * differ from it; `except`: without this one; `before`: what to write before the next. */
void put_members(struct page *, const char *name, const struct ras_value *map,
                 const struct ras_value *unlike, const char *except, const char **before);
#endif

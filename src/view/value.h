/* value.h - values of records as the viewer's JSON has them: text, so that no digit is lost. */
#ifndef VIEW_VALUE_H
#define VIEW_VALUE_H

#include "codec/json_write.h"

/* null, or the text of a value: digits of a number, a string itself, JSON of a list or a map. At
 * most about `most` bytes of it; false: it was cut. */
bool json_value_text(struct json *, const char *key, const struct ras_value *, unsigned flags,
                     size_t most);
/* What a field counts: "ns", "bytes"; NULL: nothing is known. */
const char *unit_text(unsigned unit);
#endif

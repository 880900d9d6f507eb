/* detail_schema.h - the documented shape of a divergence's detail: members that formats share, and
 * the check of a value. */
#ifndef OPS_COMPARE_DETAIL_SCHEMA_H
#define OPS_COMPARE_DETAIL_SCHEMA_H

#include <rastrum/rastrum.h>

/* For rows of a driver's tables. */
#define MEMBER_VALUE(name, of_kinds, what)                                                         \
    {                                                                                              \
        .key = (name), .kinds = RAS_DETAIL_##of_kinds, .about = (what)                             \
    }
#define MEMBER_MAYBE(name, of_kinds, what)                                                         \
    {                                                                                              \
        .key = (name), .kinds = RAS_DETAIL_##of_kinds, .optional = true, .about = (what)           \
    }
#define MEMBER_OR_NULL(name, of_kinds, what)                                                       \
    {                                                                                              \
        .key = (name), .kinds = RAS_DETAIL_##of_kinds | RAS_DETAIL_NULL, .about = (what)           \
    }
#define MEMBER_COUNT(name, what)                                                                   \
    {                                                                                              \
        .key = (name), .role = RAS_DETAIL_COUNT, .kinds = RAS_DETAIL_NUMBER, .about = (what)       \
    }
#define MEMBER_ROWS(name, what)                                                                    \
    {                                                                                              \
        .key = (name), .role = RAS_DETAIL_ROWS, .kinds = RAS_DETAIL_LIST, .of = detail_row,        \
        .about = (what)                                                                            \
    }
#define MEMBER_MISSING                                                                             \
    MEMBER_VALUE("missing_in", TEXT, "`expected` or `actual`: the side that has none")
#define MEMBER_ENDED                                                                               \
    MEMBER_VALUE("ended", BOOL, "that side has no more, it is not only left out there")

/* {"path", "kind", "expected", "actual"} */
extern const struct ras_detail_member detail_row[], detail_record[];

/* The row of a kind; NULL: there is none. */
const struct ras_detail_kind *detail_of(const struct ras_detail_kind *, const char *kind);
#endif

/* struct_size.h - options of callers that are of this version of the library or another. */
#ifndef BASE_STRUCT_SIZE_H
#define BASE_STRUCT_SIZE_H

#include <rastrum/rastrum.h>

/* Copy what a caller gave: a struct of options that begins with its struct_size. NULL gives zeros;
 * members that the caller does not know are zero. The copy, or NULL and RAS_EUSAGE in err when the
 * caller sets members that this version does not know.
 *
 * `first` is the size in the first version that had the struct: offsetof() of the first member that
 * was added since, or sizeof. */
const void *options_take(void *copy, size_t size, size_t first, const void *given,
                         struct ras_error *err);

/* Of a struct to which nothing was added since 0.2.0. */
#define OPTIONS(copy, given, err)                                                                  \
    options_take((copy), sizeof *(copy), sizeof *(copy), (given), (err))
#endif

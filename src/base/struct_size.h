/* struct_size.h - option structs of callers that were compiled against this version of the library
 * or another. */
#ifndef BASE_STRUCT_SIZE_H
#define BASE_STRUCT_SIZE_H

#include <rastrum/rastrum.h>

/* Copy an option struct of a caller, which begins with its struct_size. NULL gives zeros; members
 * that the caller does not know are zero. Returns the copy, or NULL with RAS_EUSAGE in err when the
 * caller sets members that this version does not know.
 *
 * `first` is the size in the first version that had the struct: offsetof() of the first member that
 * was added since, or sizeof. */
const void *options_take(void *copy, size_t size, size_t first, const void *given,
                         struct ras_error *err);

/* For a struct that has not grown since 1.0.0. */
#define OPTIONS(copy, given, err)                                                                  \
    options_take((copy), sizeof *(copy), sizeof *(copy), (given), (err))
#endif

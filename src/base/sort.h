/* sort.h - sort an array by a comparison that has a context, in the same order on every system;
 * names with numbers in counting order. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

/* Negative: a comes before b; 0: either may come first. */
typedef int sort_compare(const void *a, const void *b, void *context);

/* Items that compare as equal keep their order. When memory for half of the array is short they may
 * not: a caller that needs one order compares all of an item. */
void sort_with(void *items, size_t count, size_t size, sort_compare *compare, void *context);

/* The order of two names, digits compared as numbers: pid_9 is before pid_10. 0: they are the
 * same. */
int name_order(const char *a, const char *b);
#endif

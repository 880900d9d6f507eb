/* locale_choice.h - a locale with another decimal point than the C locale has. */
#ifndef TWICE_LOCALE_CHOICE_H
#define TWICE_LOCALE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

struct twice_locale {
    char name[32];   /* "": there is none */
    char path[4096]; /* for LOCPATH; "": it is installed */
};

/* The first of some that is installed; or one made in `dir` from C.UTF-8. */
void twice_locale_choose(struct twice_locale *, const char *dir);
#endif

/* locale_choice.c - a locale with another decimal point than the C locale has.
 *
 * Many machines have none but C and C.UTF-8. Then one is made of links to the files of C.UTF-8 and
 * a copy of its LC_NUMERIC, in which the point becomes a comma. */
#include "twice/locale_choice.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ORIGIN "/usr/lib/locale/C.utf8"
#define MADE   "xx_XX.UTF-8"

/* The file: a magic number, the number of items, the offset of each; the first item is the decimal
 * point, the fourth the same as a wide character. */
enum { HEAD = 8, POINT = 0, WIDE_POINT = 3, FILE_MOST = 4096 };

static const char *const usual[] = {
    "de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8", "pt_BR.UTF-8", "ru_RU.UTF-8",
    "nl_NL.UTF-8", "pl_PL.UTF-8", "sv_SE.UTF-8", "cs_CZ.UTF-8", "da_DK.UTF-8", "tr_TR.UTF-8",
    "de_DE",       "fr_FR",       "de_AT.UTF-8", "fr_CA.UTF-8", "pt_PT.UTF-8", "fi_FI.UTF-8",
};

static bool has_other_point(const char *name)
{
    locale_t locale = newlocale(LC_ALL_MASK, name, (locale_t)0);
    if (!locale)
        return false;
    bool other = strcmp(nl_langinfo_l(RADIXCHAR, locale), ".");
    freelocale(locale);
    return other;
}

static uint32_t word_at(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Where an item begins; 0: the file is not as expected. */
static size_t item_at(const unsigned char *file, size_t size, unsigned item)
{
    size_t entry = HEAD + 4 * (size_t)item;
    if (size < entry + 4 || word_at(file + 4) <= item)
        return 0;
    size_t at = word_at(file + entry);
    return at + 4 <= size ? at : 0;
}

static bool change_point(unsigned char *file, size_t size)
{
    size_t point = item_at(file, size, POINT), wide = item_at(file, size, WIDE_POINT);
    if (!point || !wide || file[point] != '.' || word_at(file + wide) != '.')
        return false;
    file[point] = file[wide] = ',';
    return true;
}

static bool make_numbers(const char *path)
{
    unsigned char file[FILE_MOST];
    int from = open(ORIGIN "/LC_NUMERIC", O_RDONLY | O_CLOEXEC);
    ssize_t size = from >= 0 ? read(from, file, sizeof file) : -1;
    if (from >= 0)
        close(from);
    if (size <= 0 || size == sizeof file || !change_point(file, (size_t)size))
        return false;
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool done = to >= 0 && write(to, file, (size_t)size) == size;
    if (to >= 0)
        close(to);
    return done;
}

static bool make_locale(struct twice_locale *l, const char *dir)
{
    static const char *const links[] = {
        "LC_ADDRESS",     "LC_COLLATE",   "LC_CTYPE",    "LC_IDENTIFICATION",
        "LC_MEASUREMENT", "LC_MESSAGES",  "LC_MONETARY", "LC_NAME",
        "LC_PAPER",       "LC_TELEPHONE", "LC_TIME",
    };
    char path[4300], origin[128];
    int len = snprintf(l->path, sizeof l->path, "%s/locale", dir);
    if (len < 0 || (size_t)len >= sizeof l->path || mkdir(l->path, 0755) < 0)
        return false;
    snprintf(path, sizeof path, "%s/" MADE, l->path);
    if (mkdir(path, 0755) < 0)
        return false;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        snprintf(origin, sizeof origin, ORIGIN "/%s", links[i]);
        snprintf(path, sizeof path, "%s/" MADE "/%s", l->path, links[i]);
        if (symlink(origin, path) < 0)
            return false;
    }
    snprintf(path, sizeof path, "%s/" MADE "/LC_NUMERIC", l->path);
    return make_numbers(path);
}

void twice_locale_choose(struct twice_locale *l, const char *dir)
{
    *l = (struct twice_locale){0};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (has_other_point(usual[i])) {
            snprintf(l->name, sizeof l->name, "%s", usual[i]);
            return;
        }
    if (make_locale(l, dir))
        snprintf(l->name, sizeof l->name, MADE);
    else
        l->path[0] = 0;
}

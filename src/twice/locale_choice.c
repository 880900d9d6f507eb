/* locale_choice.c - a locale with another decimal point than the C locale has.
 *
 * Many machines have none but C and C.UTF-8. Then one is made: localedef(1), which the C library
 * brings with it, compiles a short description of numbers, money, names of days and an order of
 * letters; the rest are links to the files of C.UTF-8. Without localedef, the LC_NUMERIC of C.UTF-8
 * is copied and its point becomes a comma. */
#include "twice/locale_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

/* ---- by localedef ------------------------------------------------------------------------- */

static const char description[] =
    "comment_char %\nescape_char /\n"
    "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n"
    "LC_MONETARY\nint_curr_symbol \"ZZZ \"\ncurrency_symbol \"x\"\nmon_decimal_point \",\"\n"
    "mon_thousands_sep \".\"\nmon_grouping 3;3\npositive_sign \"\"\nnegative_sign \"-\"\n"
    "int_frac_digits 2\nfrac_digits 2\np_cs_precedes 0\np_sep_by_space 1\nn_cs_precedes 0\n"
    "n_sep_by_space 1\np_sign_posn 1\nn_sign_posn 1\nEND LC_MONETARY\n"
    "LC_TIME\nabday \"xSu\";\"xMo\";\"xTu\";\"xWe\";\"xTh\";\"xFr\";\"xSa\"\n"
    "day \"xSun\";\"xMon\";\"xTues\";\"xWednes\";\"xThurs\";\"xFri\";\"xSatur\"\n"
    "abmon \"xJa\";\"xFe\";\"xMr\";\"xAp\";\"xMy\";\"xJn\";\"xJl\";\"xAu\";\"xSe\";\"xOc\";\"xNo\";"
    "\"xDe\"\nmon \"xJanu\";\"xFebru\";\"xMarch\";\"xApr\";\"xMay\";\"xJune\";\"xJuly\";\"xAug\";"
    "\"xSept\";\"xOct\";\"xNov\";\"xDec\"\nam_pm \"\";\"\"\nd_t_fmt \"%a %d %b %Y %T\"\n"
    "d_fmt \"%d.%m.%Y\"\nt_fmt \"%T\"\nt_fmt_ampm \"\"\nEND LC_TIME\n"
    "LC_COLLATE\norder_start forward\n";

enum { SOURCE_MOST = 8192 };

/* A text that is being made; it has room for all that is put into it. */
struct source {
    char text[SOURCE_MOST];
    size_t len;
};

static void source_put(struct source *s, const char *text)
{
    size_t len = strlen(text);
    if (len <= sizeof s->text - s->len) {
        memcpy(s->text + s->len, text, len);
        s->len += len;
    }
}

/* "<U0041>", and what follows it. */
static void source_put_character(struct source *s, int c, const char *end)
{
    char name[16];
    snprintf(name, sizeof name, "<U%04X>", (unsigned)c & 0x7f);
    source_put(s, name);
    source_put(s, end);
}

/* Punctuation and digits as they are, then each letter with its capital after it. */
static void put_order(struct source *s)
{
    for (int c = 1; c < 128; c++)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
            source_put_character(s, c, "\n");
    for (int c = 'a'; c <= 'z'; c++) {
        source_put_character(s, c, "\n");
        source_put_character(s, c - 'a' + 'A', "\n");
    }
    source_put(s, "UNDEFINED\norder_end\nEND LC_COLLATE\n");
}

static void put_characters(struct source *s)
{
    char code[16];
    source_put(s, "<code_set_name> UTF-8\n<mb_cur_min> 1\n<mb_cur_max> 6\n<comment_char> %\n"
                  "<escape_char> /\nCHARMAP\n");
    for (int c = 0; c < 128; c++) {
        snprintf(code, sizeof code, " /x%02x\n", (unsigned)c);
        source_put_character(s, c, code);
    }
    source_put(s, "END CHARMAP\n");
}

static bool source_write(const struct source *s, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool done = fd >= 0 && write(fd, s->text, s->len) == (ssize_t)s->len;
    if (fd >= 0)
        close(fd);
    return done;
}

static bool write_sources(const char *locale, const char *characters)
{
    struct source s = {.len = 0};
    source_put(&s, description);
    put_order(&s);
    bool done = source_write(&s, locale);
    s.len = 0;
    put_characters(&s);
    return done && source_write(&s, characters);
}

/* It warns of what it was not given, and fails for that. */
static bool run_localedef(const char *locale, const char *characters, const char *to)
{
    char *words[] = {"localedef",
                     "-c",
                     "-i",
                     (char *)(uintptr_t)locale,
                     "-f",
                     (char *)(uintptr_t)characters,
                     (char *)(uintptr_t)to,
                     NULL};
    posix_spawn_file_actions_t files;
    pid_t pid = 0;
    int status = 0;
    if (posix_spawn_file_actions_init(&files))
        return false;
    bool ready = !posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) &&
                 !posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0) &&
                 !posix_spawn_file_actions_adddup2(&files, 1, 2);
    bool started = ready && !posix_spawnp(&pid, words[0], &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
    while (started && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return started && WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

/* Move a category that was compiled to where the locale is. */
static bool take_category(const char *from, const char *to, const char *name)
{
    char a[4500], b[4500];
    snprintf(a, sizeof a, "%s/%s", from, name);
    snprintf(b, sizeof b, "%s/%s", to, name);
    return rename(a, b) == 0;
}

/* `to` has links only; categories that were compiled replace them. */
static bool compile_locale(const char *dir, const char *to)
{
    static const char *const compiled[] = {"LC_MONETARY", "LC_TIME", "LC_COLLATE", "LC_NUMERIC"};
    char locale[4400], characters[4400], made[4400];
    bool done = true;
    snprintf(locale, sizeof locale, "%s/description", dir);
    snprintf(characters, sizeof characters, "%s/characters", dir);
    snprintf(made, sizeof made, "%s/" MADE, dir);
    if (mkdir(dir, 0755) < 0 || !write_sources(locale, characters) ||
        !run_localedef(locale, characters, made))
        return false;
    for (size_t i = 0; done && i < sizeof compiled / sizeof *compiled; i++)
        done = take_category(made, to, compiled[i]);
    return done;
}

/* ---- the choice ------------------------------------------------------------------------------ */

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
    char sources[4300];
    snprintf(path, sizeof path, "%s/" MADE, l->path);
    snprintf(sources, sizeof sources, "%s/sources", l->path);
    if (compile_locale(sources, path))
        return true;
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

/* choice.c - which functions are recorded, and how: patterns on names and modules. */
#include "hooks/hooks.h"
#include "base/glob.h"
#include "codec/regex.h"

#include <string.h>

struct pattern {
    struct pattern *next;
    const char *symbol;  /* a glob; NULL: any */
    struct regex *regex; /* instead of it */
    const char *module;  /* a glob; NULL: any */
};

static struct pattern *patterns[CHOICES];

/* The last @ after an expression separates it from its module. */
static bool pattern_split(struct pattern *p, char *text)
{
    char *at = strrchr(text, '@');
    size_t len = strlen(text);
    const char *why;
    size_t where;
    if (text[0] == '/' && len > 1 && text[len - 1] == '/')
        at = NULL; /* no module follows */
    if (at) {
        *at = 0;
        p->module = at[1] ? at + 1 : NULL;
        len = strlen(text);
    }
    if (text[0] == '/' && len > 1 && text[len - 1] == '/') {
        p->regex = regex_parse(text + 1, len - 2, &why, &where);
        return p->regex;
    }
    p->symbol = len ? text : NULL;
    return p->symbol || p->module;
}

bool choice_add(enum choice which, char *text)
{
    struct pattern *p = hooks_memory(sizeof *p);
    if (!p)
        return false;
    *p = (struct pattern){0};
    if (!pattern_split(p, text))
        return false;
    p->next = patterns[which];
    patterns[which] = p;
    return true;
}

/* A function as patterns see it. */
struct subject {
    const struct loaded *module;
    const char *file; /* the module's name */
    const char *raw;
    char plain[1024];  /* "": same as raw */
    char standard[32]; /* of `operator new` and `delete`: std::operator new; "": of others */
};

static bool pattern_matches(const struct pattern *p, const struct subject *s)
{
    if (p->module && !glob_matches(p->module, s->module->path) && !glob_matches(p->module, s->file))
        return false;
    if (p->regex)
        return regex_search(p->regex, s->raw, strlen(s->raw)) ||
               (*s->plain && regex_search(p->regex, s->plain, strlen(s->plain)));
    return !p->symbol || glob_matches(p->symbol, s->raw) ||
           (*s->plain && glob_matches(p->symbol, s->plain)) ||
           (*s->standard && glob_matches(p->symbol, s->standard));
}

static bool matches_any(enum choice which, const struct subject *s)
{
    for (const struct pattern *p = patterns[which]; p; p = p->next)
        if (pattern_matches(p, s))
            return true;
    return false;
}

static void describe(struct subject *s, struct loaded *module, uintptr_t address)
{
    const char *slash = strrchr(module->path, '/'), *name = elf_name_of(module, address);
    s->module = module;
    s->file = slash ? slash + 1 : module->path;
    s->raw = name ? name : "";
    if (!plain_name(s->raw, s->plain, sizeof s->plain))
        s->plain[0] = 0;
    /* Programs have inline copies of them from <new>: std::* matches these, too. */
    static const char *const memory[] = {"operator new", "operator new[]", "operator delete",
                                         "operator delete[]"};
    s->standard[0] = 0;
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (!strcmp(s->plain, memory[i])) {
            memcpy(s->standard, "std::", 5);
            memcpy(s->standard + 5, memory[i], strlen(memory[i]) + 1);
        }
}

static bool is_ignored(const struct subject *s)
{
    return (patterns[CHOICE_FILTER] && !matches_any(CHOICE_FILTER, s)) ||
           matches_any(CHOICE_EXCLUDE, s);
}

static bool has_patterns(void)
{
    for (unsigned i = 0; i < CHOICES; i++)
        if (patterns[i])
            return true;
    return false;
}

uint64_t choice_of(struct loaded *module, uintptr_t address)
{
    struct subject s;
    uint64_t flags = hooks.min_duration ? CALL_SLOW : 0;
    flags |= hooks.fill || hooks.yield ? CALL_VARIED : 0;
    if (has_patterns()) {
        describe(&s, module, address);
        if (is_ignored(&s))
            return CALL_IGNORED;
        flags |= matches_any(CHOICE_DETAIL, &s) ? CALL_DETAIL : 0;
        flags |= matches_any(CHOICE_TRIGGER, &s) ? CALL_TRIGGER : 0;
    }
    struct function *f = loaded_function(module, address);
    return f ? flags | (uint64_t)module->id << 32 | f->index : 0;
}

bool choice_ignores(struct loaded *module, uintptr_t address)
{
    struct subject s;
    if (!patterns[CHOICE_FILTER] && !patterns[CHOICE_EXCLUDE])
        return false;
    describe(&s, module, address);
    return is_ignored(&s);
}

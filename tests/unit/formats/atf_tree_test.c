/* atf_tree_test.c - call trees with functions left out, in focus or inverted to callers,
 * compared with a count by hand: every call is checked with all calls around it. */
#include "../tree.h"

static struct script a;

enum { LINES = 6000, PATH = 400 };

/* A path of the tree, by hand or as returned. */
struct line {
    char path[PATH];
    uint64_t count, total, self;
};
struct lines {
    struct line at[LINES];
    size_t count;
};
static struct lines expected, found;

static struct line *line_of(struct lines *l, const char *path)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->at[i].path, path))
            return &l->at[i];
    assert_true(l->count < LINES && strlen(path) < PATH);
    struct line *new = &l->at[l->count++];
    *new = (struct line){.count = 0};
    memcpy(new->path, path, strlen(path) + 1);
    return new;
}

/* The options: functions by number, 0 for none. */
struct choice {
    uint64_t exclude, focus, callers;
    bool fold;
};

static uint64_t took(size_t call)
{
    return a.steps[end_of(&a, call)].event.timestamp_ns - a.steps[call].event.timestamp_ns;
}

static uint64_t self_of(size_t call)
{
    uint64_t self = took(call);
    for (size_t k = call + 1, end = end_of(&a, call); k < end; k++)
        if (a.steps[k].event.event_kind == RAS_ATF_CALL &&
            a.steps[k].event.call_depth == a.steps[call].event.call_depth + 1)
            self -= took(k);
    return self;
}

/* The calls around one and itself that the options keep, from the outermost on. */
static size_t path_of(size_t call, const struct choice *c, size_t path[64])
{
    size_t count = 0;
    bool inside = !c->focus;
    for (size_t k = 0; k <= call; k++) {
        const struct ras_atf_index_event *e = &a.steps[k].event;
        if (e->event_kind != RAS_ATF_CALL || (k != call && end_of(&a, k) < call))
            continue;
        inside |= e->function_id == c->focus && e->function_id != c->exclude;
        if (inside && e->function_id != c->exclude)
            path[count++] = k;
    }
    return count;
}

static void add_name(char *text, uint64_t function)
{
    size_t len = strlen(text);
    assert_true(len + 16 < PATH);
    snprintf(text + len, 16, ";f%d", (int)function);
}

/* Add a call with the time it has; `outer`: not inside a call of the same path. */
static void book(const struct choice *c, const size_t *path, size_t count, bool call, uint64_t self)
{
    char text[PATH] = "";
    uint64_t last = a.steps[path[count - 1]].event.function_id, total = took(path[count - 1]);
    bool outer = true, again = false;
    if (!c->callers) {
        for (size_t i = 0; i < count; i++) {
            uint64_t function = a.steps[path[i]].event.function_id;
            again = c->fold && i && a.steps[path[i - 1]].event.function_id == function;
            if (!again)
                add_name(text, function);
        }
        struct line *l = line_of(&expected, text);
        l->count += call;
        l->total += call && !again ? total : 0;
        l->self += self;
        return;
    }
    for (size_t i = 0; i + 1 < count; i++)
        outer &= a.steps[path[i]].event.function_id != last;
    for (size_t i = count; last == c->callers && i--;) {
        add_name(text, a.steps[path[i]].event.function_id);
        struct line *l = line_of(&expected, text);
        l->count += call;
        l->total += call && outer ? total : 0;
        l->self += self;
    }
}

static void by_hand(const struct choice *c)
{
    expected.count = 0;
    for (size_t i = 0; i < a.count; i++) {
        size_t path[64];
        if (a.steps[i].event.event_kind != RAS_ATF_CALL)
            continue;
        size_t count = path_of(i, c, path);
        if (count) /* left out: the time goes to the last call around it */
            book(c, path, count, path[count - 1] == i, self_of(i));
    }
}

static void as_answered(const struct ras_stats *s)
{
    const struct ras_value *rows = ras_value_member(ras_value_member(s->tables, "tree"), "rows");
    char path[PATH];
    size_t ends[64] = {0}; /* of the path, by depth */
    found.count = 0;
    for (const struct ras_value *r = rows + 1; r < rows + 1 + rows->count; r += WIDTH) {
        size_t depth = (size_t)r[DEPTH].u;
        assert_true(depth && depth < 64);
        size_t at = ends[depth - 1];
        ends[depth] = at + 1 + r[FUNCTION].count;
        assert_true(ends[depth] < PATH);
        path[at] = ';';
        memcpy(path + at + 1, r[FUNCTION].at, r[FUNCTION].count);
        path[ends[depth]] = 0;
        struct line *l = line_of(&found, path);
        assert_int_equal(l->count, 0); /* each path is there once */
        l->count = r[COUNT].u;
        l->total = r[TOTAL].u;
        l->self = r[SELF].u;
    }
}

static void compare(struct session *m, const struct choice *c)
{
    char names[3][16];
    const char *at[3] = {names[0], names[1], names[2]};
    struct ras_stats *s;
    struct ras_error err;
    snprintf(names[0], 16, "f%d", (int)c->exclude);
    snprintf(names[1], 16, "f%d", (int)c->focus);
    snprintf(names[2], 16, "f%d", (int)c->callers);
    const struct ras_tree_options how = {.exclude = {&at[0], c->exclude ? 1 : 0},
                                         .focus = {&at[1], c->focus ? 1 : 0},
                                         .callers = {&at[2], c->callers ? 1 : 0},
                                         .fold_recursion = c->fold};
    assert_int_equal(ras_tree(&s, m->trace, &how, &err), RAS_OK);
    as_answered(s);
    by_hand(c);
    assert_int_equal(found.count, expected.count);
    for (size_t i = 0; i < expected.count; i++) {
        const struct line *e = &expected.at[i], *f = line_of(&found, e->path);
        assert_int_equal(f->count, e->count);
        assert_int_equal(f->total, e->total);
        assert_int_equal(f->self, e->self);
    }
    assert_int_equal(found.count, expected.count);
    ras_stats_free(s);
}

static void chosen_functions_of_any_trees(void **state)
{
    const struct script *threads[1] = {&a};
    (void)state;
    for (uint32_t seed = 1; seed < 12; seed++) {
        uint32_t random = seed;
        struct session m;
        make_tree(&a, &random, 60, 4);
        record(&m, threads, 1, 0, true);
        for (uint64_t i = 0; i < 128; i++) {
            struct choice c = {i % 4, i / 4 % 4, i / 16 % 4, i / 64};
            if (!(c.fold && c.callers)) /* folded first: the path by hand is not */
                compare(&m, &c);
        }
        forget(&m);
    }
}

static void unknown_function_names_near_ones(void **state)
{
    const struct script *threads[1] = {&a};
    const char *name = "f33";
    struct session m;
    struct ras_stats *s;
    struct ras_error err;
    uint32_t random = 1;
    (void)state;
    make_tree(&a, &random, 30, 3);
    record(&m, threads, 1, 0, true);
    for (int i = 0; i < 4; i++) {
        const struct ras_tree_names one = {&name, 1}, none = {0};
        const struct ras_tree_options how = {.exclude = i == 0 || i == 3 ? one : none,
                                             .focus = i == 1 ? one : none,
                                             .callers = i == 2 ? one : none,
                                             .open = i == 3};
        assert_int_equal(ras_tree(&s, m.trace, &how, &err), RAS_EUSAGE);
        assert_non_null(strstr(err.text, "'f33'"));
        assert_non_null(strstr(err.text, "did you mean 'f3'"));
        assert_null(s);
    }
    forget(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_functions_of_any_trees),
        cmocka_unit_test(unknown_function_names_near_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

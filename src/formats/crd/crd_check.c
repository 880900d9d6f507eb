/* crd_check.c - the rules of a replay: its frame, its form, its values.
 *
 * The game's reader takes a replay only if it encodes to the same bytes again: every rule is one
 * that it has. Whether the result follows from the inputs only the game can tell. */
#include "formats/crd/crd_check.h"

#include <math.h>
#include <stdio.h>

const struct ras_rule crd_rules[] = {CRD_RULES(RULE_ROW) RULES_END};

/* ---- the shortest form --------------------------------------------------------------- */

static unsigned head_bytes(uint64_t count, uint64_t in_head, bool has_u8)
{
    if (count <= in_head)
        return 1;
    return has_u8 && count <= UINT8_MAX ? 2 : count <= UINT16_MAX ? 3 : 5;
}

static unsigned uint_bytes(uint64_t u)
{
    return u < 128 ? 1 : u <= UINT8_MAX ? 2 : u <= UINT16_MAX ? 3 : u <= UINT32_MAX ? 5 : 9;
}

static unsigned int_bytes(int64_t i)
{
    return i >= -32 ? 1 : i >= INT8_MIN ? 2 : i >= INT16_MIN ? 3 : i >= INT32_MIN ? 5 : 9;
}

/* What is wrong with the encoding of an item; NULL: nothing. */
static const char *form_fault(const struct msgpack_item *item, uint8_t head)
{
    enum { SIGNED_FIRST = 0xd0, SIGNED_LAST = 0xd3 };
    switch (item->kind) {
    case MSGPACK_UINT:
        if (head >= SIGNED_FIRST && head <= SIGNED_LAST)
            return "a number that is not negative has a signed encoding";
        return item->width == uint_bytes(item->u) ? NULL : "a number is not in its shortest form";
    case MSGPACK_INT:
        return item->width == int_bytes(item->i) ? NULL : "a number is not in its shortest form";
    case MSGPACK_STR:
        return item->width == head_bytes(item->bytes.len, 31, true) ? NULL
                                                                    : "a length is not shortest";
    case MSGPACK_ARRAY:
    case MSGPACK_MAP:
        return item->width == head_bytes(item->count, 15, false) ? NULL : "a count is not shortest";
    case MSGPACK_F32:
        return "a float has 32 bits";
    default:
        return NULL;
    }
}

static void check_form(struct crd_checker *k)
{
    struct msgpack in = msgpack_bytes(k->all);
    struct msgpack_item item;
    uint64_t faults = 0, first = 0;
    const char *what = NULL;
    while (msgpack_left(&in)) {
        uint8_t head = *in.at;
        uint64_t at = msgpack_offset(&in);
        if (!msgpack_next(&in, &item) || !report_progress(k->report, at))
            return;
        const char *fault = form_fault(&item, head);
        if (fault && !faults++) {
            first = at;
            what = fault;
        }
    }
    if (faults)
        CRD_FINDING(k, CANONICAL, first, 1, "not canonical: %s; %" PRIu64 " in all are not", what,
                    faults);
}

/* ---- values --------------------------------------------------------------- */

static bool is_narrow(double real)
{
    return isfinite(real) && (double)(float)real == real;
}

/* Printable ASCII, or letters and dots. */
static bool is_word(struct ras_bytes text, bool letters)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t b = text.at[i], small = b | 32;
        if (letters ? b != '.' && (small < 'a' || small > 'z') : b < 32 || b > 126)
            return false;
    }
    return true;
}

static void keep(struct crd_checker *k, const struct crd_key *key, int64_t value)
{
    k->has[key->kept] = true;
    k->kept[key->kept] = value;
}

static void bad_value(struct crd_checker *k, uint64_t at, const char *where,
                      const struct crd_key *key, const char *what)
{
    CRD_FINDING(k, k->value, at, 1, "%s.%s %s", where, key->name, what);
}

static bool is_known_outcome(struct crd_checker *k, struct ras_bytes text)
{
    for (int64_t i = 0; crd_outcomes[i]; i++)
        if (text.len == strlen(crd_outcomes[i]) && !memcmp(text.at, crd_outcomes[i], text.len)) {
            k->kept[KEPT_OUTCOME] = i;
            k->has[KEPT_OUTCOME] = true;
            return true;
        }
    return false;
}

static const char *scalar_fault(struct crd_checker *k, const struct crd_key *key)
{
    struct ras_bytes text;
    int64_t number;
    double real;
    bool truth;
    switch (key->kind) {
    case CRD_INT:
    case CRD_INTS:
        if (!msgpack_i64(&k->in, &number))
            return "is not an integer";
        if (key->kind == CRD_INT)
            keep(k, key, number);
        return number < key->least || number > key->most ? "is out of range" : NULL;
    case CRD_BOOL:
        return msgpack_bool(&k->in, &truth) ? NULL : "is not a bool";
    case CRD_REAL:
        if (!msgpack_f64(&k->in, &real))
            return "is not a float";
        return is_narrow(real) ? NULL : "is not a finite f32";
    default:
        if (!msgpack_str(&k->in, &text))
            return "is not a text";
        if (key->kept == KEPT_OUTCOME && !is_known_outcome(k, text))
            return "is not a known outcome";
        if ((int64_t)text.len < key->least || (int64_t)text.len > key->most)
            return "has a length that is out of range";
        return key->kind == CRD_TEXT || is_word(text, key->letters) ? NULL : "has other characters";
    }
}

/* Check one scalar, or an item of a list; it is passed, whatever it is. */
static void check_scalar(struct crd_checker *k, const struct crd_key *key, const char *where)
{
    const uint8_t *start = k->in.at;
    uint64_t at = crd_at(k);
    const char *fault = scalar_fault(k, key);
    if (fault && k->in.fault == MSGPACK_FINE)
        bad_value(k, at, where, key, fault);
    if (k->in.at == start)
        (void)msgpack_skip(&k->in);
}

static void check_list(struct crd_checker *k, const struct crd_key *key, const char *where)
{
    uint64_t count, at = crd_at(k);
    if (msgpack_peek(&k->in) != MSGPACK_ARRAY || !msgpack_array(&k->in, &count)) {
        bad_value(k, at, where, key, "is not a list");
        (void)msgpack_skip(&k->in);
        return;
    }
    keep(k, key, (int64_t)count);
    if ((key->kind == CRD_INTS && count != key->count) ||
        (key->kind == CRD_TEXTS && count > key->count))
        CRD_FINDING(k, k->value, at, 1, "%s.%s has %" PRIu64 " items, not %s%" PRIu32, where,
                    key->name, count, key->kind == CRD_TEXTS ? "at most " : "", key->count);
    while (count-- && k->in.fault == MSGPACK_FINE)
        if (key->kind == CRD_MAPS)
            crd_check_map(k, key->of, key->name, false);
        else
            check_scalar(k, key, where);
}

static void check_key(struct crd_checker *k, const struct crd_key *key, const char *where)
{
    if (key->nil && msgpack_nil(&k->in))
        return;
    if (key->kind == CRD_ANY) {
        (void)msgpack_skip(&k->in);
    } else if (key->kind == CRD_MAP) {
        k->has[key->kept] = true;
        crd_check_map(k, key->of, key->name, false);
    } else if (key->kind >= CRD_INTS) {
        check_list(k, key, where);
    } else {
        check_scalar(k, key, where);
    }
}

static void check_hits(struct crd_checker *k, uint64_t at)
{
    if (k->has[KEPT_FIRED] && k->has[KEPT_HIT] && k->kept[KEPT_HIT] > k->kept[KEPT_FIRED])
        CRD_FINDING(k, RESULT, at, 1, "result: %" PRId64 " shots hit, %" PRId64 " were fired",
                    k->kept[KEPT_HIT], k->kept[KEPT_FIRED]);
    k->has[KEPT_FIRED] = k->has[KEPT_HIT] = false;
}

void crd_check_map(struct crd_checker *k, const struct crd_map *map, const char *where, bool kind)
{
    uint64_t count, at = crd_at(k), wrong = 0;
    if (msgpack_peek(&k->in) != MSGPACK_MAP || !msgpack_map(&k->in, &count)) {
        CRD_FINDING(k, k->keys, at, 1, "%s is not a map", where);
        (void)msgpack_skip(&k->in);
        return;
    }
    if (count != map->count + kind)
        CRD_FINDING(k, k->keys, at, 1, "%s has %" PRIu64 " keys, not %zu", where, count,
                    map->count + kind);
    for (uint64_t i = 0; i < count && k->in.fault == MSGPACK_FINE; i++) {
        const struct crd_key *key =
            i >= kind && i - kind < map->count ? &map->keys[i - kind] : NULL;
        if (key && msgpack_key_is(&k->in, key->name, strlen(key->name))) {
            check_key(k, key, where);
            continue;
        }
        bool expected = !i && kind && MSGPACK_KEY(&k->in, "kind");
        if (!expected && !wrong++)
            CRD_FINDING(k, k->keys, crd_at(k), 1, "%s: key %" PRIu64 " is not '%s'", where, i,
                        key ? key->name : "kind");
        if (!expected)
            (void)msgpack_skip(&k->in);
        (void)msgpack_skip(&k->in);
    }
    check_hits(k, at);
}

/* Whether all of the next value is there. One that is not is not judged: crd.content has it. */
static bool is_whole(const struct crd_checker *k)
{
    struct msgpack after = k->in;
    return msgpack_skip(&after);
}

/* ---- ticks --------------------------------------------------------------- */

static const char *flags_fault(int64_t value)
{
    enum { KNOWN = 0xfffff, KEYS_THERE = 8, KEY_VALUES = 0xf0, MODE = 0x100, AIM = 0x1000 };
    unsigned v = (unsigned)value, mode = v >> 9 & 7, aim = v >> 13 & 7;
    if (value < 0 || value & ~(int64_t)KNOWN)
        return "have unknown bits";
    if (!(v & KEYS_THERE) && v & KEY_VALUES)
        return "have movement keys, and not the bit for them";
    if (v & MODE ? mode > 5 : mode)
        return "have an invalid movement mode";
    return (v & AIM ? aim == 6 : aim) ? "have an invalid aim scheme" : NULL;
}

static void check_input(struct crd_checker *k, uint64_t tick, uint64_t row)
{
    uint64_t count, at = crd_at(k);
    struct msgpack after = k->in;
    double real;
    int64_t flags;
    const char *fault = NULL;
    (void)msgpack_skip(&after);
    if (msgpack_peek(&k->in) != MSGPACK_ARRAY || !msgpack_array(&k->in, &count) ||
        count != CRD_AXES + 1)
        fault = "is not of five numbers";
    for (unsigned i = 0; !fault && i < CRD_AXES; i++)
        if (!msgpack_f64(&k->in, &real) || !is_narrow(real))
            fault = "has an axis that is not a finite f32";
    if (!fault && !msgpack_i64(&k->in, &flags))
        fault = "has flags that are not an integer";
    if (!fault && (fault = flags_fault(flags)))
        CRD_FINDING(k, INPUT, at, 1, "tick %" PRIu64 ", input %" PRIu64 ": flags %s", tick, row,
                    fault);
    else if (fault)
        CRD_FINDING(k, INPUT, at, 1, "tick %" PRIu64 ", input %" PRIu64 " %s", tick, row, fault);
    k->in = after;
}

/* The commands, and which members each has after its type. */
enum { HAS_CHOICE = 1, HAS_CHARACTER = 2, IS_TYPED = 4 };
static const struct command {
    const char *type;
    unsigned has;
} commands[] = {
    {"perk_menu_open", 0},
    {"perk_pick", HAS_CHOICE},
    {"typo_char", HAS_CHARACTER | IS_TYPED},
    {"typo_backspace", IS_TYPED},
    {"typo_submit", IS_TYPED},
};

static const struct command *command_of(struct msgpack *in)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (msgpack_key_is(in, commands[i].type, strlen(commands[i].type)))
            return &commands[i];
    return NULL;
}

static bool is_character(struct ras_bytes text)
{
    size_t characters = 0;
    for (size_t i = 0; i < text.len; i++)
        characters += (text.at[i] & 0xc0) != 0x80;
    return characters == 1;
}

/* What is wrong with the command at k->in; NULL: nothing. */
static const char *command_fault(struct crd_checker *k)
{
    const struct command *c = NULL;
    struct ras_bytes text;
    uint64_t count;
    int64_t player, choice;
    if (msgpack_peek(&k->in) != MSGPACK_MAP || !msgpack_map(&k->in, &count) ||
        !MSGPACK_KEY(&k->in, "type"))
        return "does not begin with its type";
    if (!(c = command_of(&k->in)))
        return "has an unknown type";
    if (count != 2u + (c->has & HAS_CHOICE ? 1 : 0) + (c->has & HAS_CHARACTER ? 1 : 0))
        return "has other keys than its type";
    if (!MSGPACK_KEY(&k->in, "player_index") || !msgpack_i64(&k->in, &player))
        return "has no player_index";
    if (player < 0 || (k->has[KEPT_PLAYERS] && player >= k->kept[KEPT_PLAYERS]))
        return "has a player_index that no player has";
    if (c->has & IS_TYPED && k->has[KEPT_MODE] && k->kept[KEPT_MODE] != 4)
        return "is a typo command outside of mode 4";
    if (c->has & HAS_CHOICE && (!MSGPACK_KEY(&k->in, "choice_index") ||
                                !msgpack_i64(&k->in, &choice) || choice < 0 || choice > 6))
        return "has a choice_index that is not within 0 and 6";
    if (c->has & HAS_CHARACTER &&
        (!MSGPACK_KEY(&k->in, "ch") || !msgpack_str(&k->in, &text) || !is_character(text)))
        return "has no character";
    return NULL;
}

static void check_command(struct crd_checker *k, uint64_t tick)
{
    struct msgpack after = k->in;
    uint64_t at = crd_at(k);
    (void)msgpack_skip(&after);
    const char *fault = command_fault(k);
    if (fault)
        CRD_FINDING(k, COMMAND, at, 1, "tick %" PRIu64 ": a command %s", tick, fault);
    k->in = after;
}

static bool enter_list(struct crd_checker *k, uint64_t *count)
{
    return msgpack_peek(&k->in) == MSGPACK_ARRAY && msgpack_array(&k->in, count);
}

static void check_tick(struct crd_checker *k, uint64_t tick)
{
    struct msgpack after = k->in;
    uint64_t at = crd_at(k), two, count;
    (void)msgpack_skip(&after);
    bool whole = enter_list(k, &two) && two == 2 && enter_list(k, &count);
    if (whole && k->has[KEPT_PLAYERS] && (int64_t)count != k->kept[KEPT_PLAYERS])
        CRD_FINDING(k, TICKS, at, 1,
                    "tick %" PRIu64 " has %" PRIu64 " inputs, of %" PRId64 " players", tick, count,
                    k->kept[KEPT_PLAYERS]);
    for (uint64_t i = 0; whole && i < count; i++)
        check_input(k, tick, i);
    whole = whole && enter_list(k, &count);
    for (uint64_t i = 0; whole && i < count; i++)
        check_command(k, tick);
    if (!whole)
        CRD_FINDING(k, TICKS, at, 1, "tick %" PRIu64 " is not [inputs, commands]", tick);
    k->in = after;
}

/* ---- the whole --------------------------------------------------------------- */

static void check_ticks(struct crd_checker *k)
{
    uint64_t count, at = crd_at(k);
    bool whole = is_whole(k);
    if (!enter_list(k, &count)) {
        if (whole)
            CRD_FINDING(k, KEYS, at, 1, "ticks is not a list");
        (void)msgpack_skip(&k->in);
        return;
    }
    if (!count)
        CRD_FINDING(k, TICKS, at, 1, "the replay has no ticks");
    for (uint64_t i = 0; i < count && is_whole(k); i++) {
        check_tick(k, i);
        if (!report_progress(k->report, crd_at(k)))
            return;
    }
}

static void check_run(struct crd_checker *k, uint64_t at)
{
    enum { QUESTS = 3, TYPO = 4, TUTORIAL = 8 };
    int64_t mode = k->kept[KEPT_MODE], players = k->kept[KEPT_PLAYERS];
    if (!k->has[KEPT_MODE])
        return;
    if (mode > TYPO && mode != TUTORIAL)
        CRD_FINDING(k, RUN, at, 1, "run.game_mode_id %" PRId64 " is not a mode", mode);
    if ((mode == TYPO || mode == TUTORIAL) && k->has[KEPT_PLAYERS] && players > 1)
        CRD_FINDING(k, RUN, at, 1, "run: %" PRId64 " players in mode %" PRId64 ", which has one",
                    players, mode);
    if (k->has[KEPT_LEVEL] != (mode == QUESTS))
        CRD_FINDING(k, RUN, at, 1, "run: mode %" PRId64 " %s a quest_level", mode,
                    mode == QUESTS ? "without" : "with");
}

static void check_result(struct crd_checker *k, uint64_t at)
{
    enum { QUEST_COMPLETED = 1 };
    if (k->has[KEPT_RESULT] && k->has[KEPT_PLAYERS] &&
        k->kept[KEPT_RESULT] != k->kept[KEPT_PLAYERS])
        CRD_FINDING(k, RESULT, at, 1, "result has %" PRId64 " players, the run %" PRId64,
                    k->kept[KEPT_RESULT], k->kept[KEPT_PLAYERS]);
    if (k->has[KEPT_FINAL] && k->has[KEPT_OUTCOME] && k->kept[KEPT_OUTCOME] != QUEST_COMPLETED)
        CRD_FINDING(k, RESULT, at, 1,
                    "result has a quest_final_ms, and the quest is not completed");
}

/* The five members of the map, in order. */
static void check_members(struct crd_checker *k, const struct crd_layout *layout)
{
    static const char *const names[] = {"format_version", "game_version", "run", "result", "ticks"};
    enum { MEMBERS = sizeof names / sizeof *names };
    struct ras_bytes text;
    uint64_t count = 0;
    (void)msgpack_map(&k->in, &count);
    if (count != MEMBERS)
        CRD_FINDING(k, KEYS, 0, 1, "the replay has %" PRIu64 " members, not %d", count, MEMBERS);
    for (uint64_t i = 0; i < count && is_whole(k); i++) {
        uint64_t at = crd_at(k);
        if (i >= MEMBERS || !msgpack_key_is(&k->in, names[i], strlen(names[i]))) {
            CRD_FINDING(k, KEYS, at, 1, "member %" PRIu64 " is not '%s'", i,
                        i < MEMBERS ? names[i] : "there");
            return;
        }
        if (i != 4 && !is_whole(k))
            return;
        if (i == 1 && (!msgpack_str(&k->in, &text) || !text.len))
            CRD_FINDING(k, VALUE, at, 1, "game_version is empty, or not a text");
        else if (i == 0)
            (void)msgpack_skip(&k->in);
        if (i == 2) {
            crd_check_map(k, layout->run, "run", false);
            check_run(k, at);
        }
        if (i == 3) {
            crd_check_map(k, layout->result, "result", false);
            check_result(k, at);
        }
        if (i == 4)
            check_ticks(k);
    }
}

static void check_file(struct crd_checker *k, struct ras_trace *t)
{
    const struct crd *crd = t->priv;
    const struct wrapping *w = source_wrapping(t->source, 0);
    uint64_t stored = source_stored(t->source, 0);
    if (!w->name || strcmp(w->name, "zstd") != 0)
        CRD_FINDING(k, FILE_FRAME, 0, 0, "the file is %s, not one zstd frame",
                    w->name ? "a gzip member" : "not compressed");
    else if (w->members && w->end < stored && w->kind == RAS_COMPLETE)
        CRD_FINDING(k, FILE_FRAME, 0, 0, "%s after the zstd frame",
                    ras_counted(stored - w->end, "byte").text);
    else if (w->members > 1)
        CRD_FINDING(k, FILE_FRAME, 0, 0, "%" PRIu64 " zstd frames, not one", w->members);
    if (!crd->evidence && (stored > CRD_FILE_MOST || k->all.len > CRD_CONTENT_MOST))
        CRD_FINDING(k, FILE_SIZE, 0, 0, "%" PRIu64 " bytes, and %zu of content", stored,
                    k->all.len);
}

int crd_check(struct ras_trace *t, struct report *report, struct ras_error *err)
{
    (void)err;
    const struct crd *crd = t->priv;
    struct crd_checker k = {
        .report = report, .all = source_bytes(t->source, 0), .keys = KEYS, .value = VALUE};
    check_file(&k, t);
    if (crd->evidence) {
        crd_check_evidence(&k);
        return RAS_OK;
    }
    struct msgpack whole = msgpack_bytes(k.all);
    if (!msgpack_skip(&whole))
        CRD_FINDING(&k, CONTENT, whole.fault_at, 1, "the content %s",
                    whole.fault == MSGPACK_SHORT ? "is cut" : whole.why);
    else if (msgpack_left(&whole))
        CRD_FINDING(&k, CONTENT, msgpack_offset(&whole), msgpack_left(&whole),
                    "%zu bytes follow the replay", msgpack_left(&whole));
    if (!crd->layout) {
        CRD_FINDING(&k, VERSION, 0, 0, "format version %" PRIu64 ": layout not known", t->version);
        return RAS_OK;
    }
    check_form(&k);
    k.in = msgpack_bytes(k.all);
    check_members(&k, crd->layout);
    return RAS_OK;
}

/* ingress_test.c - who is let in, who is late and who comes first, in every world alike. */
#include <rastrum/world.h>

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ROOM = 8, ORDERS = 120, FIVE = 5, QUEUE = 6 };

/* A world in which the last of several commands wins, so that their order is seen. */
struct field_world {
    const char *recipe;
    uint32_t field;
    bool counts_all; /* its hash covers expired commands, too */
};

static const struct field_world worlds[] = {
    {"murkworld 1 murk-0.1.9\nspace line1d 4 wrap\ndt 3ff0000000000000\nqueue 6\n"
     "field kept sparse 1\nfield one pertick 1\nprop const 1 3f800000\n",
     0, false},
    {"murkworld 1 ref-1\nspace ring1d 4 wrap\ndt 3ff0000000000000\nqueue 6\n"
     "field one pertick 1\nfield kept sparse 1\nprop const 0 3f800000\n",
     1, false},
    {"murkworld 1 arena-1\nqueue 6\n", 1, true},
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

struct run {
    const struct ras_world_type *type;
    void *world;
    struct ras_world_command commands[ROOM];
    uint8_t payloads[ROOM][32];
    struct ras_receipt receipts[ROOM];
    struct ras_step step;
};

static void start(struct run *r, const struct field_world *w)
{
    const struct ras_bytes recipe = {(const uint8_t *)w->recipe, strlen(w->recipe)};
    *r = (struct run){0};
    assert_int_equal(ras_world_type_of(&r->type, recipe, NULL), RAS_OK);
    assert_int_equal(r->type->create(&r->world, recipe, 3, NULL), RAS_OK);
    r->step = (struct ras_step){.commands = r->commands, .receipts = r->receipts};
}

/* The value goes to one cell; no two commands of a tick have the same. */
static struct ras_murk_command *add(struct run *r, const struct field_world *w, float value)
{
    const int32_t cell[2] = {2, 2};
    struct ras_murk_fault fault;
    struct ras_murk_payload p = {.field_id = w->field};
    uint32_t i = r->step.command_count++;
    size_t size;
    p.coord = (struct ras_bytes){(const uint8_t *)cell, w->counts_all ? 8 : 4};
    memcpy(&p.value_f32, &value, sizeof value);
    assert_true(ras_murk_payload_put(RAS_MURK_SET_FIELD, &p, r->payloads[i], sizeof r->payloads[i],
                                     &size, &fault));
    struct ras_world_command *c = &r->commands[i];
    c->wire = (struct ras_murk_command){.payload_type = RAS_MURK_SET_FIELD,
                                        .payload = {r->payloads[i], size},
                                        .expires_after_tick = UINT64_MAX,
                                        .arrival_seq = i};
    assert_true(ras_murk_payload_get(RAS_MURK_SET_FIELD, c->wire.payload, &c->typed, &fault));
    return &c->wire;
}

static uint64_t go(struct run *r)
{
    assert_int_equal(r->type->step(r->world, &r->step, NULL), RAS_OK);
    assert_int_equal(r->step.result, RAS_STEP_OK);
    assert_int_equal(r->step.receipt_count, r->step.command_count);
    r->step.command_count = 0;
    return ras_world_hash(r->type, r->world);
}

static enum ras_receipt_reason reason_of(const struct run *r, uint32_t command)
{
    for (uint32_t i = 0; i < r->step.receipt_count; i++)
        if (r->receipts[i].command_index == command)
            return r->receipts[i].reason;
    fail_msg("command %u has no receipt", command);
    return RAS_RECEIPT_REASONS;
}

/* Five commands that differ in one part of their key each, from the first to the last. */
static void add_keyed(struct run *r, const struct field_world *w, unsigned which)
{
    struct ras_murk_command *c = add(r, w, 2 + (float)which);
    c->priority_class = which == 0 ? 0 : which == 4 ? 9 : 5;
    c->has_source_id = which != 3 && which != 4;
    c->source_id = c->has_source_id ? 7 : 0;
    c->has_source_seq = which == 1 || which == 3; /* without a source it counts for nothing */
    c->source_seq = c->has_source_seq ? 1 : 0;
}

/* The n-th order of five. */
static void order_of(unsigned n, unsigned order[FIVE])
{
    unsigned left[FIVE] = {0, 1, 2, 3, 4};
    for (unsigned i = 0; i < FIVE; i++) {
        unsigned at = n % (FIVE - i);
        n /= FIVE - i;
        order[i] = left[at];
        memmove(&left[at], &left[at + 1], (FIVE - i - 1 - at) * sizeof *left);
    }
}

static void the_order_of_the_file_does_not_count(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WORLDS; k++) {
        uint64_t hash = 0;
        for (unsigned n = 0; n < ORDERS; n++) {
            struct run r;
            unsigned order[FIVE];
            start(&r, &worlds[k]);
            order_of(n, order);
            for (unsigned i = 0; i < FIVE; i++)
                add_keyed(&r, &worlds[k], order[i]);
            uint64_t now = go(&r);
            hash = n ? hash : now;
            assert_int_equal(now, hash);
            for (unsigned i = 0; i < FIVE; i++) /* executed by their keys */
                assert_int_equal(order[r.receipts[i].command_index], i);
            r.type->destroy(r.world);
        }
    }
}

/* Commands without a source, and those of the largest one, are numbered as they come. */
static uint64_t tied(const struct field_world *w, bool turned, bool recorded)
{
    struct run r;
    start(&r, w);
    r.step.recorded_order = recorded;
    for (unsigned i = 0; i < 2; i++) {
        struct ras_murk_command *c = add(&r, w, turned ? 2.0f - (float)i : 1.0f + (float)i);
        c->has_source_id = i;
        c->source_id = i ? UINT64_MAX : 0;
        c->has_source_seq = !i;
        c->source_seq = 0;
        c->arrival_seq = 9 - i;
    }
    uint64_t hash = go(&r);
    r.type->destroy(r.world);
    return hash;
}

static void ties_go_by_the_file(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WORLDS; k++) {
        assert_int_not_equal(tied(&worlds[k], false, false), tied(&worlds[k], true, false));
        if (!worlds[k].counts_all) /* it numbers them */
            assert_int_equal(tied(&worlds[k], false, false), tied(&worlds[k], true, true));
        assert_int_not_equal(tied(&worlds[k], false, false), tied(&worlds[k], false, true));
    }
}

static void the_last_tick_is_in_time(void **state)
{
    static const struct {
        uint64_t expires;
        enum ras_receipt_reason reason;
    } rows[] = {{0, RAS_RECEIPT_STALE},   {3, RAS_RECEIPT_STALE},
                {4, RAS_RECEIPT_STALE},   {5, RAS_RECEIPT_APPLIED},
                {6, RAS_RECEIPT_APPLIED}, {UINT64_MAX, RAS_RECEIPT_APPLIED}};
    (void)state;
    for (unsigned k = 0; k < WORLDS; k++) {
        uint64_t none = 0;
        for (unsigned i = 0; i <= sizeof rows / sizeof *rows; i++) {
            struct run r;
            start(&r, &worlds[k]);
            for (unsigned tick = 1; tick < 5; tick++)
                (void)go(&r);
            if (i)
                add(&r, &worlds[k], 3)->expires_after_tick = rows[i - 1].expires;
            uint64_t hash = go(&r);
            none = i ? none : hash;
            bool late = i && rows[i - 1].reason == RAS_RECEIPT_STALE;
            if (i)
                assert_int_equal(reason_of(&r, 0), rows[i - 1].reason);
            if (late) {
                assert_true(r.receipts[0].accepted);
                assert_int_equal(r.receipts[0].applied_tick, RAS_NONE);
            }
            if (i && !(late && worlds[k].counts_all))
                assert_int_equal(hash == none, late);
            r.type->destroy(r.world);
        }
    }
}

/* Six are accepted, including expired ones; the rest are reported first. */
static void a_full_queue_takes_no_more(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WORLDS; k++)
        for (unsigned count = QUEUE - 1; count <= ROOM; count++) {
            struct run r;
            start(&r, &worlds[k]);
            for (unsigned i = 0; i < count; i++)
                add(&r, &worlds[k], 1 + (float)i)->expires_after_tick = i ? 1 : 0;
            (void)go(&r);
            unsigned out = count > QUEUE ? count - QUEUE : 0;
            for (unsigned i = 0; i < count; i++)
                assert_int_equal(reason_of(&r, i), i >= QUEUE ? RAS_RECEIPT_QUEUE_FULL
                                                   : i        ? RAS_RECEIPT_APPLIED
                                                              : RAS_RECEIPT_STALE);
            for (unsigned i = 0; i < out; i++) {
                assert_int_equal(r.receipts[i].command_index, QUEUE + i);
                assert_false(r.receipts[i].accepted);
            }
            assert_int_equal(r.receipts[out].command_index, 0);
            r.type->destroy(r.world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_the_file_does_not_count),
        cmocka_unit_test(ties_go_by_the_file),
        cmocka_unit_test(the_last_tick_is_in_time),
        cmocka_unit_test(a_full_queue_takes_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

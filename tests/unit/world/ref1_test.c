/* ref1_test.c - ticks of ref-1: receipts, entities, parameters, and what a failed tick leaves. */
#include <rastrum/world.h>

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ROOM = 8, ONE = 0x3f800000, TWO = 0x40000000 };

struct fixture {
    const struct ras_world_type *type;
    void *world;
    struct ras_world_command commands[ROOM];
    uint8_t payloads[ROOM][64];
    struct ras_receipt receipts[ROOM];
    struct ras_step step;
    struct ras_error err;
};

#define HEAD                                                                                       \
    "murkworld 1 ref-1\nspace line1d 4 wrap\ndt 3ff0000000000000\nqueue 6\nentities 2\n"           \
    "field own pertick 1\nfield kept sparse 1\nfield dig pertick 1\nfield fill pertick 1\n"        \
    "entityfield 0\nparam 7 3ff0000000000000\nprop digest 2\nprop paramfill 3 7\n"

static void make(struct fixture *f, const char *recipe)
{
    *f = (struct fixture){0};
    struct ras_bytes bytes = {(const uint8_t *)recipe, strlen(recipe)};
    assert_int_equal(ras_world_type_of(&f->type, bytes, &f->err), RAS_OK);
    assert_int_equal(f->type->create(&f->world, bytes, 9, &f->err), RAS_OK);
    f->step = (struct ras_step){.commands = f->commands, .receipts = f->receipts};
}

static void add(struct fixture *f, uint8_t type, const struct ras_murk_payload *p)
{
    struct ras_murk_fault fault;
    size_t size;
    uint32_t i = f->step.command_count++;
    assert_true(
        ras_murk_payload_put(type, p, f->payloads[i], sizeof f->payloads[i], &size, &fault));
    struct ras_world_command *c = &f->commands[i];
    c->wire = (struct ras_murk_command){
        .payload_type = type, .payload = {f->payloads[i], size}, .expires_after_tick = UINT64_MAX};
    assert_true(ras_murk_payload_get(type, c->wire.payload, &c->typed, &fault));
}

static void spawn(struct fixture *f, int32_t cell, uint32_t bits)
{
    uint32_t value[2] = {0, bits};
    add(f, RAS_MURK_SPAWN,
        &(struct ras_murk_payload){.coord = {(const uint8_t *)&cell, 4},
                                   .field_values = {(const uint8_t *)value, 8}});
}

static void step(struct fixture *f, enum ras_step_result want)
{
    assert_int_equal(f->type->step(f->world, &f->step, &f->err), RAS_OK);
    assert_int_equal(f->step.result, want);
    assert_int_equal(f->step.receipt_count, f->step.command_count);
    f->step.command_count = 0;
}

static uint32_t value(const struct fixture *f, uint32_t field, uint64_t cell)
{
    return f->type->field(f->world, field).values[cell];
}

static void entities_live_and_die(void **state)
{
    struct fixture f;
    int32_t to = 3, nowhere = 4;
    (void)state;
    make(&f, HEAD);
    spawn(&f, 1, ONE);
    spawn(&f, 2, TWO);
    spawn(&f, 0, ONE);
    step(&f, RAS_STEP_OK);
    assert_int_equal(f.receipts[2].reason, RAS_RECEIPT_ENTITY_CAPACITY);
    assert_int_equal(value(&f, 0, 1), ONE);
    assert_int_equal(value(&f, 0, 2), TWO);
    add(&f, RAS_MURK_MOVE,
        &(struct ras_murk_payload){.entity_id = 1, .coord = {(const uint8_t *)&to, 4}});
    add(&f, RAS_MURK_MOVE,
        &(struct ras_murk_payload){.entity_id = 2, .coord = {(const uint8_t *)&nowhere, 4}});
    add(&f, RAS_MURK_DESPAWN, &(struct ras_murk_payload){.entity_id = 2});
    add(&f, RAS_MURK_DESPAWN, &(struct ras_murk_payload){.entity_id = 2});
    step(&f, RAS_STEP_OK);
    assert_int_equal(f.receipts[0].reason, RAS_RECEIPT_APPLIED);
    assert_int_equal(f.receipts[1].reason, RAS_RECEIPT_NOT_APPLIED);
    assert_int_equal(f.receipts[2].applied_tick, 2);
    assert_int_equal(f.receipts[3].reason, RAS_RECEIPT_UNKNOWN_ENTITY);
    assert_int_equal(value(&f, 0, 1), 0);
    assert_int_equal(value(&f, 0, 3), ONE);
    assert_int_equal(value(&f, 0, 2), 0);
    f.type->destroy(f.world);
}

static void set_both(struct fixture *f, uint32_t key)
{
    uint8_t params[24] = {7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, (uint8_t)key};
    add(f, RAS_MURK_SET_PARAMETER_BATCH,
        &(struct ras_murk_payload){.params = {params, sizeof params}});
}

static void batches_are_all_or_nothing(void **state)
{
    struct fixture f;
    (void)state;
    make(&f, HEAD);
    set_both(&f, 8);
    step(&f, RAS_STEP_OK);
    assert_int_equal(f.receipts[0].reason, RAS_RECEIPT_NOT_APPLIED);
    assert_int_equal(value(&f, 3, 0), ONE);
    set_both(&f, 7); /* the later one of a key wins: 0.0 */
    step(&f, RAS_STEP_OK);
    assert_int_equal(f.receipts[0].reason, RAS_RECEIPT_APPLIED);
    assert_int_equal(value(&f, 3, 0), 0);
    f.type->destroy(f.world);
}

/* Parameters, entities and fields are as they were; the third failure is the last. */
static void a_failed_tick_leaves_nothing(void **state)
{
    struct fixture f;
    (void)state;
    make(&f, HEAD "field bad pertick 1\nprop fail 4 1\n");
    spawn(&f, 1, ONE);
    step(&f, RAS_STEP_OK);
    uint64_t before = ras_world_hash(f.type, f.world);
    for (int i = 0; i < 3; i++) {
        spawn(&f, 2, TWO);
        add(&f, RAS_MURK_DESPAWN, &(struct ras_murk_payload){.entity_id = 1});
        set_both(&f, 7);
        step(&f, RAS_STEP_ROLLED_BACK);
        assert_int_equal(f.receipts[1].reason, RAS_RECEIPT_TICK_ROLLBACK);
        assert_int_equal(f.receipts[1].applied_tick, RAS_NONE);
        assert_int_equal(f.step.tick, 1);
        assert_int_equal(ras_world_hash(f.type, f.world), before);
    }
    spawn(&f, 2, TWO);
    step(&f, RAS_STEP_DISABLED);
    assert_int_equal(f.receipts[0].reason, RAS_RECEIPT_TICK_DISABLED);
    f.type->destroy(f.world);
}

static void a_full_queue_and_late_commands(void **state)
{
    struct fixture f;
    (void)state;
    make(&f, HEAD);
    for (unsigned i = 0; i < ROOM; i++)
        add(&f, RAS_MURK_CUSTOM, &(struct ras_murk_payload){.type_id = 0});
    f.commands[0].wire.expires_after_tick = 0;
    f.commands[1].wire.expires_after_tick = 1;
    f.commands[2].wire.priority_class = 9;
    step(&f, RAS_STEP_OK);
    static const uint32_t order[ROOM] = {6, 7, 0, 1, 3, 4, 5, 2};
    for (unsigned i = 0; i < ROOM; i++)
        assert_int_equal(f.receipts[i].command_index, order[i]);
    assert_int_equal(f.receipts[0].reason, RAS_RECEIPT_QUEUE_FULL);
    assert_int_equal(f.receipts[2].reason, RAS_RECEIPT_STALE);
    assert_true(f.receipts[2].accepted);
    f.type->destroy(f.world);
}

/* A NaN that an operation gives is the same on every processor, whatever went in. */
static void a_nan_is_a_nan(void **state)
{
    static const char recipe[] = "murkworld 1 ref-1\nspace line1d 4 wrap\ndt 3fb0000000000000\n"
                                 "field kept sparse 1\nfield spread pertick 1\n"
                                 "field scaled pertick 1\n"
                                 "param 1 3ff0000000000000\nprop diffuse 0 1 3ff0000000000000\n"
                                 "prop scale 0 2 1\n";
    const uint32_t payload_nan = 0xffc12345, plain = 0x7fc00000;
    struct fixture f;
    int32_t cell = 1;
    (void)state;
    make(&f, recipe);
    add(&f, RAS_MURK_SET_FIELD,
        &(struct ras_murk_payload){.coord = {(const uint8_t *)&cell, 4}, .value_f32 = payload_nan});
    step(&f, RAS_STEP_OK);
    assert_int_equal(value(&f, 0, 1), payload_nan); /* nothing was computed */
    step(&f, RAS_STEP_OK);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(value(&f, 1, i), plain);
    assert_int_equal(value(&f, 1, 3), 0);
    assert_int_equal(value(&f, 2, 1), plain);
    f.type->destroy(f.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entities_live_and_die),
        cmocka_unit_test(batches_are_all_or_nothing),
        cmocka_unit_test(a_failed_tick_leaves_nothing),
        cmocka_unit_test(a_full_queue_and_late_commands),
        cmocka_unit_test(a_nan_is_a_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* dial9_plan.c - how to decode the events of one schema, worked out once. */
#include "formats/dial9/dial9_plan.h"

/* Per field type: the step that takes it and the most bytes it can take, 0
 * where there is no bound. */
static const struct {
    uint8_t code, most;
} by_type[] = {
    [RAS_DIAL9_I64] = {DO_U64, 8},
    [RAS_DIAL9_F64] = {DO_U64, 8},
    [RAS_DIAL9_BOOL] = {DO_BOOL, 1},
    [RAS_DIAL9_STRING] = {DO_SPAN, 0},
    [RAS_DIAL9_BYTES] = {DO_SPAN, 0},
    [RAS_DIAL9_POOLED_STACK_FRAMES] = {DO_STACK_ID, 4},
    [RAS_DIAL9_POOLED_STRING] = {DO_STRING_ID, 4},
    [RAS_DIAL9_STACK_FRAMES] = {DO_STACK, 0},
    [RAS_DIAL9_VARINT] = {DO_VARINT, DIAL9_VARINT_MAX},
    [RAS_DIAL9_STRING_MAP] = {DO_TREE, 0},
    [RAS_DIAL9_U8] = {DO_U8, 1},
    [RAS_DIAL9_U16] = {DO_U16, 2},
    [RAS_DIAL9_U32] = {DO_U32, 4},
    [RAS_DIAL9_DYNAMIC_LIST] = {DO_TREE, 0},
    [RAS_DIAL9_DYNAMIC_MAP] = {DO_TREE, 0},
};

static struct plan_step make_step(uint8_t code, uint8_t type, unsigned field)
{
    struct plan_step step = {.code = code, .type = type, .field = (uint16_t)field};
    struct ras_dial9_value native = {.type = type, .field = (uint16_t)field};
    memcpy(step.native, &native, sizeof step.native);
    return step;
}

static void head_row(struct plan_step *step, const struct ras_field *field)
{
    struct ras_value row = {.kind = field->kind, .bits = field->bits, .field = step->field};
    memcpy(step->row, &row, sizeof step->row);
}

/* Let a step take the one behind it along where that is worth it. */
static void fuse(struct plan_step *s)
{
    static const uint8_t with_varint[DO_CODES] = {
        [DO_U8] = DO_VARINT_U8,
        [DO_U32] = DO_VARINT_U32,
        [DO_VARINT] = DO_VARINT_VARINT,
        [DO_STRING_ID] = DO_VARINT_STRING_ID,
    };
    for (; s->code != DO_END; s++) {
        uint8_t both = 0;
        if (s->code == DO_VARINT)
            both = with_varint[s[1].code];
        else if (s->code == DO_OPTIONAL && s[1].code == DO_STRING_ID)
            both = DO_OPTIONAL_STRING_ID;
        if (both)
            s++->code = both;
    }
}

void dial9_plan_fill(struct dial9_plan *plan, struct plan_step *steps,
                     const struct ras_dial9_schema *schema, const struct ras_field *fields)
{
    struct plan_step *s = steps;
    plan->head = DIAL9_EVENT_SIZE + (schema->has_timestamp ? DIAL9_DELTA_SIZE : 0);
    plan->delta_mask = schema->has_timestamp ? 0xffffff : 0;
    uint32_t first = plan->head, *need = &first;
    for (unsigned i = 0; i < schema->field_count; i++) {
        uint8_t type = schema->fields[i].type & (uint8_t)~RAS_DIAL9_OPTIONAL;
        if (schema->fields[i].type & RAS_DIAL9_OPTIONAL) {
            *s++ = make_step(DO_OPTIONAL, 0, i);
            *need += 1;
        }
        *s = make_step(by_type[type].code, type, i);
        s->need = schema->field_count + 1u;
        head_row(s++, &fields[i]);
        *need += by_type[type].most;
        if (by_type[type].most == 0) {
            *s = make_step(DO_NEED, 0, i);
            need = &s++->need;
        }
    }
    *s = make_step(DO_END, 0, 0);
    fuse(steps);
    /* The delta is taken out of four bytes, with or without one. */
    plan->need = first > DIAL9_EVENT_SIZE + 4 ? first : DIAL9_EVENT_SIZE + 4;
}

const uint8_t *dial9_plan_skip_long(const struct plan_step *s, const uint8_t *p, const uint8_t *end,
                                    unsigned depth)
{
    struct ras_dial9_value value;
    struct in in = {p, end, false};
    return dial9_value_get(&in, s->type, depth, &value) || in.cut ? NULL : in.at;
}

PLAN_INLINE bool pass_any_id(void *user, const uint8_t *p, bool stack)
{
    (void)user, (void)p, (void)stack;
    return true;
}

PLAN_INLINE const uint8_t *pass_any_long(void *user, const struct plan_step *s, const uint8_t *p,
                                         const uint8_t *end, unsigned depth)
{
    (void)user;
    return dial9_plan_skip_long(s, p, end, depth);
}

const uint8_t *dial9_plan_skip(const struct plan_step *s, const uint8_t *p, const uint8_t *end,
                               unsigned depth)
{
    return plan_pass(s, p, end, depth, pass_any_id, pass_any_long, NULL);
}

/* recipe_test.c - recipes of grid worlds: what is refused, where, and with which numbers. */
#include <rastrum/world.h>

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct ras_world_type *named(const char *name)
{
    const struct ras_world_type *const *w = ras_world_types();
    while (*w && strcmp((*w)->name, name) != 0)
        w++;
    return *w;
}

static int make(const char *world, const char *text, struct ras_error *err)
{
    void *made;
    const struct ras_world_type *type = named(world);
    struct ras_bytes recipe = {(const uint8_t *)text, strlen(text)};
    *err = (struct ras_error){0};
    int status = type->create(&made, recipe, 1, err);
    assert_true(status == RAS_OK || !made);
    if (status == RAS_OK)
        type->destroy(made);
    return status;
}

#define HEAD  "murkworld 1 ref-1\n"
#define LINE  "space line1d 4 wrap\n"
#define STEP  "dt 3ff0000000000000\n"
#define FIELD "field a sparse 1\n"
#define HOLD  "prop hold 0\n"

static const struct {
    const char *text, *says;
} bad[] = {
    /* The world that it is for: a replay would be executed in another one. */
    {LINE STEP FIELD HOLD, "the first line is not `murkworld 1 ref-1`"},
    {"\n" LINE STEP FIELD HOLD, "the first line is not `murkworld 1 ref-1`"},
    {"murkworld 1 murk-0.1.9\n" LINE STEP FIELD HOLD, "of the world murk-0.1.9, not ref-1"},
    {"murkworld 2 ref-1\n" LINE STEP FIELD HOLD, "2: recipes of this world are of version 1"},
    {"murkworld 1\n" LINE STEP FIELD HOLD, "line 1: murkworld: 2 words, not 3"},
    {HEAD HEAD LINE STEP FIELD HOLD, "line 2: murkworld: is allowed only in the first line"},
    /* Spaces. */
    {HEAD "space square4 65536 65536 wrap\n", "line 2: space: 4294967296 cells, at most 67108864"},
    {HEAD "space hex2d 2147483647 2147483647 absorb\n", "4611686014132420609 cells, at most"},
    {HEAD "space line1d 2147483648 wrap\n", "2147483648: a size is 1 to 2147483647"},
    {HEAD "space line1d 18446744073709551617 wrap\n", "a size is 1 to 2147483647"},
    {HEAD "space square8 0 4 wrap\n", "line 2: 0: a size is 1 to 2147483647"},
    {HEAD "space line1d -4 wrap\n", "line 2: -4: a size is"},
    {HEAD "space\n", "takes KIND N EDGE"},
    {HEAD "space line1d 4\n", "takes KIND N EDGE"},
    {HEAD "space cube 4 wrap\n", "cube: no such space"},
    {HEAD "space ring1d 4 absorb\n", "this space has no such edge"},
    {HEAD "space hex2d 4 4 wrap\n", "this space has no such edge"},
    {HEAD LINE LINE, "line 3: space: there is one already"},
    /* Steps. */
    {HEAD LINE "dt 7ff8000000000000\n", "line 3: dt: nan, a step is finite and above 0"},
    {HEAD LINE "dt 7ff0000000000000\n", "dt: inf, a step"},
    {HEAD LINE "dt bff0000000000000\n", "dt: -1, a step"},
    {HEAD LINE "dt 0000000000000000\n", "dt: 0, a step"},
    {HEAD LINE "dt 3ff\n", "3ff: not 16 hexadecimal digits"},
    {HEAD LINE STEP STEP, "line 4: dt: there is one already"},
    {HEAD LINE "queue 1\nqueue 1\n", "line 4: queue: there is one already"},
    {HEAD LINE "queue 1000001\n", "a queue holds 0 to 1000000 commands"},
    {HEAD LINE "entities 1\nentities 2\n", "line 4: entities: there is one already"},
    {HEAD LINE "entities 1048577\n", "a world has 0 to 1048576 entities"},
    /* Fields and propagators. */
    {HEAD LINE STEP HOLD, "there is no field"},
    {HEAD LINE STEP FIELD, "there is no prop"},
    {HEAD STEP FIELD HOLD, "there is no space"},
    {HEAD LINE FIELD HOLD, "there is no dt"},
    {HEAD LINE STEP FIELD "prop\n", "line 5: prop: takes KIND"},
    {HEAD LINE STEP FIELD "prop hold\n", "line 5: hold: 0 arguments, not 1"},
    {HEAD LINE STEP FIELD "prop hold 1\n", "line 5: hold: there is no field 1, the last is 0"},
    {HEAD LINE STEP FIELD "prop copy 9 0\n", "line 5: copy: there is no field 9, the last is 0"},
    {HEAD LINE STEP FIELD HOLD "prop const 0 00000000\n", "line 6: 0: another propagator writes"},
    {HEAD LINE STEP "field a static 1\n" HOLD, "line 5: hold: field 0 is static"},
    {HEAD LINE STEP FIELD "prop paramfill 0 9\n", "line 5: paramfill: there is no parameter 9"},
    {HEAD LINE STEP FIELD HOLD "entityfield 0\n", "entityfield 0: the field is not pertick"},
    {HEAD LINE STEP FIELD HOLD "entityfield 7\n", "entityfield 7: the field is not there"},
    {HEAD LINE STEP "field a sparse 0\n", "line 4: 0: a field has 1 to 1024 components"},
    {HEAD LINE STEP "field a sparse 1025\n", "1025: a field has 1 to 1024 components"},
    {HEAD "space line1d 60000000 wrap\n" STEP FIELD "field b sparse 1\n" HOLD,
     "fields of 480000000 bytes, at most 268435456"},
    {HEAD "space square8 5000 5000 wrap\n" STEP FIELD
          "field b pertick 1\nprop diffuse 0 1 3fb0000000000000\n",
     "recipe: neighbours of 25000000 cells in 900000004 bytes, at most 536870912"},
    {HEAD LINE STEP FIELD "field b pertick 1\nprop diffuse 0 1 3ff0000000000000\n",
     "line 6: diffuse: a step of 1 s is too long for a factor of 1, at most 0.0833333 s"},
    {HEAD LINE STEP FIELD "field b pertick 1\nprop diffuse 0 1 bff0000000000000\n",
     "line 6: diffuse: a factor of -1, at least 0"},
    {HEAD LINE STEP FIELD "field b pertick 1\nprop diffuse 0 1 7ff8000000000000\n",
     "line 6: diffuse: the factor is not finite"},
    /* Texts. */
    {HEAD "space line1d 4 wrap\r\n", "line 2: byte 0x0d is not printable ASCII"},
    {HEAD "space line1d 4 wrap a b c d e\n", "line 2: space: takes KIND N EDGE"},
    {HEAD "field 0123456789012345678901234567890123456789012345678901234567890123 sparse 1\n",
     "line 2: more than 63 letters in a word"},
    {HEAD "# words\n", "line 2: #: no such statement in this world"},
};

static void bad_recipes_are_refused(void **state)
{
    struct ras_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int status = make("ref-1", bad[i].text, &err);
        if ((status != RAS_EFORMAT && status != RAS_ELIMIT) || !strstr(err.text, bad[i].says))
            fail_msg("%s: %d: %s", bad[i].text, status, err.text);
    }
    assert_int_equal(make("ref-1", HEAD LINE STEP FIELD HOLD, &err), RAS_OK);
    assert_int_equal(make("murk-0.1.9", HEAD LINE STEP FIELD HOLD, &err), RAS_EFORMAT);
    assert_string_equal(err.text, "recipe line 1: of the world ref-1, not murk-0.1.9");
    assert_int_equal(make("arena-1", "\nsize 9 9\n", &err), RAS_EFORMAT);
}

#define HEAD2  "murkworld 2 murk-0.1.9\n"
#define FIELDS LINE STEP "field a sparse 1\nfield b pertick 1\nfield c pertick 2\n"

/* Of version 2: what is wrong with spaces and with the engine's standard propagators. */
static const struct {
    const char *text, *says;
} bad_standard[] = {
    {"murkworld 3 murk-0.1.9\n" FIELDS, "line 1: 3: recipes are of version 1 or 2"},
    {HEAD2 "space fcc12 4 4 3 wrap\n", "line 2: wrap: needs three even sides"},
    {HEAD2 "space fcc12 4 4 absorb\n", "line 2: space: takes KIND W H D EDGE"},
    {HEAD2 "space fcc12 2147483647 2147483647 2147483647 clamp\n", "cells, at most 67108864"},
    {HEAD2 "space fcc12 999999 999999 999999 clamp\n", "499998500001500000 cells, at most"},
    {HEAD2 "space product\n", "takes KIND N EDGE"},
    {HEAD2 "space product line1d 4 wrap *\n", "takes KIND N EDGE"},
    {HEAD2 "space product line1d 4 wrap ring1d 3\n", "takes KIND N EDGE"},
    {HEAD2 "space product product line1d 4 wrap * ring1d 3\n", "product: no such space"},
    {HEAD2 "space product fcc12 2 2 2 wrap * fcc12 2 2 2 wrap * fcc12 2 2 2 wrap\n",
     "product: has more than 8 axes"},
    {HEAD2 "space product line1d 60000 wrap * line1d 60000 wrap\n", "3600000000 cells, at most"},
    {HEAD2 FIELDS "prop scalardiff 0 1 3fa999999999999a\n", "scalardiff: 3 arguments, at least 7"},
    {HEAD2 FIELDS "prop scalardiff 0 1 3fa999999999999a 0000000000000000 - - - 3\n",
     "line 7: 3: the last of an odd number of words"},
    {HEAD2 FIELDS "prop scalardiff 0 1 3fa999999999999a 0000000000000000 1 - -\n",
     "line 7: 1: another propagator writes this field"},
    {HEAD2 FIELDS "prop scalardiff 0 1 3ff0000000000000 0000000000000000 - - -\n",
     "a step of 1 s is too long for a factor of 1, at most 0.0833333 s"},
    {HEAD2 FIELDS "prop gradient 0 1\n", "gradient: a field of 1 components, not 2"},
    {HEAD2 FIELDS "prop gradient 0 3\n", "gradient: there is no field 3, the last is 2"},
    {HEAD2 FIELDS "prop flow 0 2 2\n", "line 7: 2: not 0, 1"},
    {HEAD2 FIELDS "prop wave 0 1 4000000000000000 0000000000000000\n",
     "wave: a step of 1 s is too long for a factor of 2, at most 0.353553 s"},
    {HEAD2 FIELDS "prop wave 0 0 3fb0000000000000 0000000000000000\n",
     "line 7: 0: another propagator writes this field"},
    {HEAD2 FIELDS "prop noiseinj 0 pink 3fb0000000000000 1\n",
     "pink: not gaussian, uniform or saltpepper"},
    {HEAD2 FIELDS "prop noiseinj 0 uniform 3fb0000000000000 18446744073709551616\n",
     "18446744073709551616: not a number"},
    {HEAD2 FIELDS "prop refdiffusion 3fa999999999999a\n",
     "refdiffusion: a field of 1 components, not 2"},
    {HEAD2 FIELDS "prop movement 0 1\n", "movement: a field of 2 components, not 1"},
    {HEAD2 FIELDS "prop reward 3f800000 3f800000\n", "reward: there is no field 4"},
    {"murkworld 1 murk-0.1.9\n" FIELDS "prop identity 0\n", "identity: no such propagator"},
    {"murkworld 1 murk-0.1.9\nspace ring1d 3\n", "takes KIND N EDGE"},
    {"murkworld 1 murk-0.1.9\nspace fcc12 3 3 3 absorb\n", "fcc12: no such space"},
};

static void bad_standard_recipes_are_refused(void **state)
{
    struct ras_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad_standard / sizeof *bad_standard; i++) {
        int status = make("murk-0.1.9", bad_standard[i].text, &err);
        if ((status != RAS_EFORMAT && status != RAS_ELIMIT) ||
            !strstr(err.text, bad_standard[i].says))
            fail_msg("%s: %d: %s", bad_standard[i].text, status, err.text);
    }
    assert_int_equal(make("murk-0.1.9",
                          HEAD2 "space ring1d 3\n" STEP FIELD
                                "prop noiseinj 0 uniform 3fb0000000000000 18446744073709551615\n",
                          &err),
                     RAS_OK);
}

/* What only ref-1 has. */
static void the_public_world_has_fewer_statements(void **state)
{
    static const char *const only[] = {"entities 1", "entityfield 0", "param 1 0000000000000000",
                                       "prop noise 0 00000000", "prop digest 0"};
    struct ras_error err;
    char text[200];
    (void)state;
    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        snprintf(text, sizeof text, "murkworld 1 murk-0.1.9\n" LINE STEP FIELD "%s\n", only[i]);
        assert_int_equal(make("murk-0.1.9", text, &err), RAS_EFORMAT);
        assert_non_null(strstr(err.text, "in this world"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_recipes_are_refused),
        cmocka_unit_test(bad_standard_recipes_are_refused),
        cmocka_unit_test(the_public_world_has_fewer_statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* glsl_test.c - shader text that is executed as it is meant, and text that is refused. */
#include "gpu/glsl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define FRAGMENT "#version 300 es\nprecision highp float;\nin vec4 v;\nin vec2 t;\nout vec4 o;\n"

static struct ras_error err;

static int compile(const char *text, bool vertex, struct program **p)
{
    const struct ras_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return program_from_glsl(p, bytes, vertex, &err);
}

/* The fragment shader's output for v = 1, 2, 3, 4 and t = 5, 6. */
static void expect(const char *body, float r, float g, float b, float a)
{
    char text[1000];
    struct program *p;
    snprintf(text, sizeof text, FRAGMENT "void main() {\n%s\n}\n", body);
    if (compile(text, false, &p))
        fail_msg("%s: %s", body, err.text);
    size_t count = 4 * ((size_t)program_registers(p) + 1);
    struct lanes *file = aligned_alloc(64, count * sizeof *file);
    assert_non_null(file);
    memset(file, 0, count * sizeof *file);
    for (size_t i = 0; i < p->uniform_count; i++)
        for (size_t c = 0; c < 4; c++)
            for (size_t k = 0; k < LANES; k++)
                memcpy(&file[4 * (program_first_uniform(p) + i) + c].at[k], &p->uniforms[i].bits[c],
                       4);
    for (size_t k = 0; k < LANES; k++) {
        for (size_t c = 0; c < 4; c++)
            file[c].at[k] = (float)(c + 1);
        file[4].at[k] = 5;
        file[5].at[k] = 6;
    }
    program_run(p, file, LANES, &(struct shader_env){0});
    const float wanted[4] = {r, g, b, a};
    for (size_t c = 0; c < 4; c++)
        if (file[4 * p->input_regs + c].at[17] != wanted[c])
            fail_msg("%s: component %zu is %g, not %g", body, c,
                     (double)file[4 * p->input_regs + c].at[17], (double)wanted[c]);
    free(file);
    program_free(p);
}

static void what_is_known_is_executed(void **state)
{
    (void)state;
    expect("o = v;", 1, 2, 3, 4);
    expect("o = v.wzyx;", 4, 3, 2, 1);
    expect("o = vec4(t, v.rg);", 5, 6, 1, 2);
    expect("o = vec4(0.5);", 0.5f, 0.5f, 0.5f, 0.5f);
    expect("o = vec4(1, -2, 3., .25f);", 1, -2, 3, 0.25f);
    expect("o = v + v.yyyy * 2.0 - 1.0;", 4, 5, 6, 7);
    expect("o = (v - 1.0) * (v + 1.0);", 0, 3, 8, 15);
    expect("o = -v - -v.x;", 0, -1, -2, -3);
    expect("o = 10.0 - v - v;", 8, 6, 4, 2);
    expect("vec3 a = v.xyz; a.xy = a.yx; o = vec4(a, 1.0);", 2, 1, 3, 1);
    expect("vec4 a = v; a.zw *= t; a += 1.0; a.x -= t.y; o = a;", -4, 3, 16, 25);
    expect("float a; a = t.s; o = vec4(a, a * a, t.t, 0.0); // end\n/* more */", 5, 25, 6, 0);
    expect("const float k = 3.0; const vec2 two = vec2(k, 4.0); o = vec4(two.yx, two);", 4, 3, 3,
           4);
    expect("o.xy = t; o.zw = t + t.yx;", 5, 6, 11, 11);
    expect("o = vec4(vec3(v), 9.0);", 1, 2, 3, 9);
    expect("highp float a = ((v.x)); o = vec4(a).xxyy;", 1, 1, 1, 1);
}

static void refused(const char *text, bool vertex, const char *why)
{
    struct program *p;
    assert_int_equal(compile(text, vertex, &p), RAS_EUNSUPPORTED);
    assert_null(p);
    assert_string_equal(err.text, why);
}

static void refused_body(const char *body, const char *why)
{
    char text[1000];
    snprintf(text, sizeof text, FRAGMENT "void main() {\n%s\n}\n", body);
    refused(text, false, why);
}

static void what_is_more_is_refused(void **state)
{
    (void)state;
    refused_body("o = v / 2.0;", "line 7: '/' where ';' is wanted");
    refused_body("o = v * 2;", "line 7: a number without a point");
    refused_body("o = mix(v, v, 0.5);", "line 7: 'mix' is not known here");
    refused_body("if (true) o = v;", "line 7: 'if' is not a known statement");
    refused_body("o = t;", "line 7: 2 components to 4 of 'o'");
    refused_body("o = vec4(v, 1.0);", "line 7: more arguments than components");
    refused_body("o = vec4(t);", "line 7: 2 components for 4");
    refused_body("o = v + t;", "line 7: 4 components with 2");
    refused_body("o = t.xyzz.xyxy;", "line 7: '.xyzz' of 2 components");
    refused_body("o = v.xg.xyxy;", "line 7: '.xg' of 4 components");
    refused_body("vec4 a; o = a;", "line 7: 'a' is read before it is written");
    refused_body("o.xyz = v.xyz;", "line 9: 'o' is not written");
    refused_body("o.xx = t; o = v;", "line 7: 'o' is written twice at once");
    refused_body("v = o;", "line 7: 'v' is not a known statement");
    refused_body("const float a = v.x; o = v;", "line 7: 'v' is not constant");
    refused_body("float t = 1.0; o = v;", "line 7: 't' cannot be declared");
    refused_body("o = v; discard;", "line 7: 'discard' is not a known statement");
    refused_body("o = vec4(1.0e3);", "line 7: '1.0' in an expression");
    refused_body("o = v", "line 8: '}' where ';' is wanted");
    refused_body("/* o = v;", "line 9: '' is not a known statement");
    refused_body("o = --v;", "line 7: '--' in an expression");
    refused_body("o = v++;", "line 7: '++' where ';' is wanted");
    refused_body("o = v\xc3\xa9;", "line 7: '?' where ';' is wanted");
    refused_body("o = vec4(010);", "line 7: '010' in an expression");
    refused_body("o = vec4(2147483648);", "line 7: '2147483648' in an expression");
    /* Where the comment ends, compilers know by rules of their own. */
    refused_body("o = v; // what \\\no = v + v;", "line 7: '' is not a known statement");
    refused_body("o = v; // what \ro = v + v;", "line 7: '' is not a known statement");
    static const char *const names[] = {"input",     "switch", "sampler2D", "ivec3", "mat4x3",
                                        "imageCube", "true",   "gl_x",      "a__b",  "main"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char body[100], why[100];
        snprintf(body, sizeof body, "float %s = 1.0; o = v;", names[i]);
        snprintf(why, sizeof why, "line 7: '%s' cannot be declared", names[i]);
        refused_body(body, why);
    }
    expect("float matter = 1.0; float sampler = 2.0; o = vec4(matter, sampler, v.xy);", 1, 2, 1, 2);
    refused("void main() {}\n", false, "line 1: '#version 300 es' does not come first");
    refused("#version 300 es\nin vec4 v;\n", false, "line 2: no precision of float");
    refused("#version 300 es\nuniform vec4 v;\n", true, "line 2: 'uniform' is not known here");
    refused("#version 300 es\nin vec4 v;\n", true, "line 2: input 'v' without a location");
    refused("#version 300 es\nvoid main() {}\n", true, "line 3: 'gl_Position' is not written");
    refused("#version 300 es\n#define A\n", true, "line 2: '#' is not known here");
    refused("#version 300 es\n", true, "line 2: no main");
}

static void depth_of_opengl_becomes_that_of_the_raster(void **state)
{
    (void)state;
    struct program *p;
    assert_int_equal(compile("#version 300 es\nlayout(location = 1) in vec4 c;\nout vec4 v;\n"
                             "void main() {\n  v = c;\n  gl_Position = c;\n}\n",
                             true, &p),
                     RAS_OK);
    assert_int_equal(p->input_count, 1);
    assert_int_equal(p->inputs[0].reg, 1);
    assert_int_equal(p->output_count, 2);
    assert_int_equal(p->outputs[0].system, SYSTEM_POSITION);
    assert_int_equal(p->outputs[1].hash, semantic_hash("v"));
    program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_is_executed),
        cmocka_unit_test(what_is_more_is_refused),
        cmocka_unit_test(depth_of_opengl_becomes_that_of_the_raster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

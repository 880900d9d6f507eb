/* arena_math.c - angles in plain f32 arithmetic: the same bits wherever it runs. */
#include "world/arena_world.h"

float arena_wrap(float angle)
{
    if (angle >= -ARENA_PI && angle <= ARENA_PI)
        return angle;
    float turns = angle * (0.5f / ARENA_PI);
    return angle - 2 * ARENA_PI * (float)(int32_t)(turns < 0 ? turns - 0.5f : turns + 0.5f);
}

/* Taylor's series up to the ninth power, on a quarter turn to each side. */
float arena_sin(float angle)
{
    float x = arena_wrap(angle);
    if (x > ARENA_PI / 2)
        x = ARENA_PI - x;
    else if (x < -ARENA_PI / 2)
        x = -ARENA_PI - x;
    float s = x * x;
    return x * (1 + s * (-1.0f / 6 + s * (1.0f / 120 + s * (-1.0f / 5040 + s * (1.0f / 362880)))));
}

float arena_cos(float angle)
{
    return arena_sin(arena_wrap(angle) + ARENA_PI / 2);
}

/* The angle of a direction, after Abramowitz and Stegun 4.4.49: good to 1e-5. */
float arena_angle(float x, float y)
{
    float ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
    float more = ax > ay ? ax : ay, less = ax > ay ? ay : ax;
    if (!(more > 0))
        return 0;
    float z = less / more, s = z * z;
    float a = z * (0.9998660f +
                   s * (-0.3302995f + s * (0.1801410f + s * (-0.0851330f + s * 0.0208351f))));
    if (ay > ax)
        a = ARENA_PI / 2 - a;
    if (x < 0)
        a = ARENA_PI - a;
    return y < 0 ? -a : a;
}

float arena_clamp(float value, float least, float most)
{
    return value < least ? least : value > most ? most : value;
}

float arena_distance2(struct arena_vec a, struct arena_vec b)
{
    float x = a.x - b.x, y = a.y - b.y;
    return x * x + y * y;
}

/* take.h - a branch on a value: programs that differ call another function here. */
#ifndef TWICE_TAKE_H
#define TWICE_TAKE_H

#ifdef __cplusplus
#include <cstdio>
#else
#include <stdio.h>
#endif

__attribute__((noinline)) static int take_one(unsigned v)
{
    return (int)(v % 1000) + 1;
}

__attribute__((noinline)) static int take_other(unsigned v)
{
    return (int)(v % 777) - 1;
}

__attribute__((noinline)) static int take(unsigned v)
{
    return v & 1 ? take_one(v) : take_other(v);
}
#endif

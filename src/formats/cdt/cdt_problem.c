/* cdt_problem.c - where in a payload something is wrong: "$.ticks[1].channels". */
#include "formats/cdt/cdt_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cdt_problem_inside(struct cdt_problem *problem, const char *fmt, ...)
{
    char step[64], tail[sizeof problem->path];
    va_list args;
    va_start(args, fmt);
    vsnprintf(step, sizeof step, fmt, args);
    va_end(args);
    memcpy(tail, problem->path, sizeof tail);
    int room = (int)(sizeof tail - strlen(step) - 1);
    snprintf(problem->path, sizeof tail, "%s%.*s", step, room, tail);
}

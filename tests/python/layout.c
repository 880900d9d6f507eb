/* layout.c - sizes and offsets of the structures that the Python package declares once more: a line
 * "struct NAME size" and lines "NAME.MEMBER offset". Made by layout.py for its list of members. */
#include <rastrum/arrow.h>
#include <rastrum/pens.h>
#include <rastrum/rundir.h>
#include <rastrum/sql.h>

#include <stdio.h>

#define SIZE(type)          printf("struct %s %zu\n", #type, sizeof(struct type))
#define PLACE(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(struct type, member))

int main(void)
{
#include "layout.inc"
    return 0;
}

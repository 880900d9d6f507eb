/* sql_quote.c - names of a trace in SQL: the only way by which they become text of a statement. */
#include <rastrum/sql.h>

#include <stdlib.h>
#include <string.h>

char *ras_sql_quote(const char *name)
{
    size_t len = strlen(name), quotes = 0;
    for (size_t i = 0; i < len; i++)
        quotes += name[i] == '"';
    char *text = malloc(len + quotes + 3), *p = text;
    if (!text)
        return NULL;
    *p++ = '"';
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '"')
            *p++ = '"';
        *p++ = name[i];
    }
    *p++ = '"';
    *p = 0;
    return text;
}

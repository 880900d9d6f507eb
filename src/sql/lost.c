/* lost.c - values that are NULL in a query because their column, or SQLite, cannot hold them. */
#include "sql/lost.h"

#include <math.h>

bool lost_open(struct lost *l)
{
    l->has_mutex = mutex_init(&l->mutex);
    return l->has_mutex;
}

void lost_close(struct lost *l)
{
    free(l->columns);
    if (l->has_mutex)
        mutex_free(&l->mutex);
}

static void note_column(struct lost *l, const struct sql_table *table, size_t column,
                        const struct lost_count *count)
{
    size_t i = 0;
    while (i < l->count && (l->columns[i].table != table || l->columns[i].column != column))
        i++;
    if (i == l->count) { /* one that memory is too short for stays unreported */
        if (!array_grow(&l->columns, &l->room, l->count + 1, sizeof *l->columns))
            return;
        l->columns[l->count++] = (struct lost_column){table, column, {0, 0}};
    }
    struct lost_count *kept = &l->columns[i].count;
    kept->unfit = count->unfit > kept->unfit ? count->unfit : kept->unfit;
    kept->nan = count->nan > kept->nan ? count->nan : kept->nan;
}

void lost_note(struct lost *l, const struct sql_table *table, const struct lost_count *counts)
{
    mutex_lock(&l->mutex);
    for (size_t i = 0; i < table->shown.column_count; i++)
        if (counts[i].unfit || counts[i].nan)
            note_column(l, table, i, &counts[i]);
    mutex_unlock(&l->mutex);
}

void lost_add(struct lost_count *count, const struct ras_column *c, enum ras_type type, size_t rows,
              bool keeps_nan)
{
    count->unfit += c->unfit;
    if (keeps_nan)
        return;
    if (type == RAS_T_F64)
        for (size_t i = 0; i < rows; i++)
            count->nan += isnan(((const double *)c->values)[i]) != 0;
    else if (type == RAS_T_F32)
        for (size_t i = 0; i < rows; i++)
            count->nan += isnan(((const float *)c->values)[i]) != 0;
}

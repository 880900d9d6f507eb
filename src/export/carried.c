/* carried.c - what tables in files do not carry as it is, counted while rows are written. */
#include "export/carried.h"
#include "export/parquet.h"
#include "export/table_writer.h"

#include <math.h>

static uint64_t selected_nulls(const struct ras_batch *batch, const struct ras_column *c)
{
    uint64_t nulls = 0;
    for (size_t i = 0; c->nulls && i < batch_count(batch); i++)
        nulls += column_is_null(c, batch_row(batch, i));
    return nulls;
}

/* Lists with an item that is null. */
static uint64_t selected_gappy(const struct ras_batch *batch, const struct ras_column *c)
{
    uint64_t lists = 0;
    for (size_t i = 0; c->items->valid && i < batch_count(batch); i++)
        lists += list_has_null(c, batch_row(batch, i));
    return lists;
}

static uint64_t selected_nans(const struct ras_batch *batch, const struct ras_column *c,
                              enum ras_type type)
{
    uint64_t nans = 0;
    for (size_t i = 0; i < batch_count(batch); i++) {
        size_t row = batch_row(batch, i);
        bool is_nan = type == RAS_T_F32 ? isnan(((const float *)c->values)[row])
                                        : isnan(((const double *)c->values)[row]);
        nans += is_nan && !column_is_null(c, row);
    }
    return nans;
}

void carried_column(struct carried *x, const struct ras_batch *batch, const struct ras_column *c,
                    enum ras_type type, bool nans)
{
    x->unfit += c->unfit;
    if (nans && (type == RAS_T_F32 || type == RAS_T_F64))
        x->nans += selected_nans(batch, c, type);
    if (type != RAS_T_LIST)
        return;
    x->null_lists += selected_nulls(batch, c);
    x->unfit += c->items->unfit;
    x->null_items += selected_gappy(batch, c);
}

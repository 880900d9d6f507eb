/* properties.h - what is true of every trace, whatever its format. */
#ifndef PROPERTY_PROPERTIES_H
#define PROPERTY_PROPERTIES_H

#include "goldens.h"

/* How much is tried: everything, or what a slow build can afford. */
enum effort { REDUCED, NORMAL, FULL };

void prefix_property(const struct goldens *g, enum effort effort);
void growth_property(const struct goldens *g, enum effort effort);
void damage_property(const struct goldens *g, enum effort effort);
void field_property(const struct goldens *g, enum effort effort);
void order_property(const struct goldens *g, enum effort effort);
void choice_property(const struct goldens *g, enum effort effort);
void steady_property(const struct goldens *g, enum effort effort);
void repair_property(const struct goldens *g, enum effort effort);
void rewrite_property(const struct goldens *g, enum effort effort);
void reduce_property(const struct goldens *g, enum effort effort);
void where_property(const struct goldens *g, enum effort effort);
void memory_property(const struct goldens *g, enum effort effort);
void columns_property(const struct goldens *g, enum effort effort);
void compare_property(const struct goldens *g, enum effort effort);
void resume_property(const struct goldens *g, enum effort effort);
void derived_property(const struct goldens *g, enum effort effort);
#endif

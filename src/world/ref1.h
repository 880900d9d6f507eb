/* ref1.h - a reference world in which all seven commands act. */
#ifndef WORLD_REF1_H
#define WORLD_REF1_H

#include <rastrum/world.h>

extern const struct ras_world_type ref1_world;
#endif

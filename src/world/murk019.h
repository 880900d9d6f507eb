/* murk019.h - the world of the public engine, version 0.1.9. */
#ifndef WORLD_MURK019_H
#define WORLD_MURK019_H

#include <rastrum/world.h>

extern const struct ras_world_type murk019_world;
#endif

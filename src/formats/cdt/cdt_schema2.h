/* cdt_schema2.h - the structs of container 2 that schemas 19, 20 and 21 change; cdt_tables2.c
 * includes it once for each of them, with SCHEMA set.
 *
 * Schema 20 added checkpoint.rng_callers_crc32, schema 21 renamed five keys. */
#ifndef SCHEMA
#error "for cdt_tables2.c only"
#endif

#if SCHEMA >= 21
#define NAME_SINCE_21(before, since) since
#else
#define NAME_SINCE_21(before, since) before
#endif

static const struct cdt_field S(tutorial_fields)[] = {
    I32(replay_tutorial_snapshot, stage_index),
    I32(replay_tutorial_snapshot, stage_timer_ms),
    I32(replay_tutorial_snapshot, stage_transition_timer_ms),
    I32(replay_tutorial_snapshot, hint_index),
    I32(replay_tutorial_snapshot, hint_alpha),
    FIELD_AS(replay_tutorial_snapshot, hint_fade_in,
             NAME_SINCE_21("hint_fade_in", "hint_carrier_killed"), BOOL, REQUIRED, .moved = 0),
    I32(replay_tutorial_snapshot, repeat_spawn_count),
    FIELD_WITH(replay_tutorial_snapshot, hint_bonus_creature_ref, RANGE, NILABLE,
               .number = INT32_MIN, .most = INT32_MAX),
    FIELD(replay_tutorial_snapshot, prompt_text, STR, REQUIRED),
    FIELD(replay_tutorial_snapshot, prompt_alpha, REAL, REQUIRED),
    FIELD(replay_tutorial_snapshot, hint_text, STR, REQUIRED),
    FIELD(replay_tutorial_snapshot, hint_alpha_overlay, REAL, REQUIRED),
};
static const struct cdt_struct S(tutorial) = TABLE("ReplayTutorialSnapshot", S(tutorial_fields),
                                                   replay_tutorial_snapshot, .own = false);

#define POINT(member, bit)                                                                         \
    FIELD_WITH(replay_checkpoint, member, RANGE, REQUIRED, .most = INT32_MAX, MOVED(bit))
static const struct cdt_field S(checkpoint_fields)[] = {
    POINT(tick_index, 0),
    FIELD_WITH(replay_checkpoint, rng_state, RANGE, REQUIRED, .most = UINT32_MAX, MOVED(1)),
#if SCHEMA >= 20
    FIELD_WITH(replay_checkpoint, rng_callers_crc32, RANGE, REQUIRED, .most = UINT32_MAX,
               MOVED(14)),
#endif
    POINT(elapsed_ms, 2),
    POINT(score_xp, 3),
    POINT(kills, 4),
    POINT(creature_count, 5),
    POINT(perk_pending, 6),
    FIELD_WITH(replay_checkpoint, players, LIST, REQUIRED, .of = &checkpoint_player, .narrow = true,
               .fixed = 1, MOVED(7)),
    FIELD_WITH(replay_checkpoint, bonus_timers, TIMERS, REQUIRED, .narrow = true, MOVED(8)),
    FIELD_WITH(replay_checkpoint, deaths, LIST, REQUIRED, .of = &death, MOVED(9)),
    FIELD_WITH(replay_checkpoint, perk, STRUCT, REQUIRED, .of = &perk, MOVED(10)),
    FIELD_WITH(replay_checkpoint, events, STRUCT, REQUIRED, .of = &events, MOVED(11)),
    FIELD_WITH(replay_checkpoint, tutorial, STRUCT, NILABLE, .of = &S(tutorial), MOVED(12)),
    FIELD_WITH(replay_checkpoint, typo, STRUCT, NILABLE, .of = &typo, MOVED(13)),
};
#undef POINT
static const struct cdt_struct S(checkpoint) = TABLE("ReplayCheckpoint", S(checkpoint_fields),
                                                     replay_checkpoint, .moved = true);

#define CREATURE(member, kind, bit)                                                                \
    FIELD_WITH(creature_entity_sample, member, kind, REQUIRED, MOVED(bit))
#define CREATURE_OF(member, of_, bit)                                                              \
    FIELD_WITH(creature_entity_sample, member, STRUCT, REQUIRED, .of = &(of_), MOVED(bit))
static const struct cdt_field S(creature_fields)[] = {
    HEAD(creature_entity_sample),
    CREATURE(type_id, INT, 5),
    CREATURE(hp, REAL, 6),
    CREATURE_OF(pos, pair, 7),
    CREATURE_OF(tint, colour, 18),
    CREATURE(flags, INT, 8),
    CREATURE(ai_mode, INT, 9),
    CREATURE(link_index, INT, 10),
    CREATURE(force_target, INT, 19),
    CREATURE_OF(target, pair, 20),
    CREATURE(target_player, INT, 21),
    CREATURE_OF(target_offset, pair, 22),
    CREATURE(heading, REAL, 11),
    CREATURE(target_heading, REAL, 12),
    FIELD_AS(creature_entity_sample, collision_timer,
             NAME_SINCE_21("collision_timer", "dot_tick_timer"), REAL, REQUIRED, MOVED(23)),
    CREATURE(attack_cooldown, REAL, 24),
    CREATURE(orbit_angle, REAL, 13),
    CREATURE(orbit_radius, REAL, 14),
    FIELD_AS(creature_entity_sample, lifecycle_stage,
             NAME_SINCE_21("lifecycle_stage", "death_timer"), REAL, REQUIRED, MOVED(15)),
    CREATURE_OF(vel, pair, RAS_CDT_CREATURE_VEL),
    CREATURE(move_speed, REAL, RAS_CDT_CREATURE_MOVE_SPEED),
};
#undef CREATURE
#undef CREATURE_OF
static const struct cdt_struct S(creature) = TABLE("CreatureEntitySample", S(creature_fields),
                                                   creature_entity_sample, .moved = true,
                                                   .own = true);

static const struct cdt_field S(projectile_fields)[] = {
    HEAD(projectile_entity_sample),
    FIELD(projectile_entity_sample, type_id, INT, REQUIRED),
    FIELD(projectile_entity_sample, angle, REAL, REQUIRED),
    FIELD_WITH(projectile_entity_sample, pos, STRUCT, REQUIRED, .of = &pair),
    FIELD_WITH(projectile_entity_sample, vel, STRUCT, REQUIRED, .of = &pair),
    FIELD(projectile_entity_sample, life_timer, REAL, REQUIRED),
    FIELD(projectile_entity_sample, speed_scale, REAL, REQUIRED),
    FIELD(projectile_entity_sample, damage_pool, REAL, REQUIRED),
    FIELD(projectile_entity_sample, hit_radius, REAL, REQUIRED),
    FIELD_AS(projectile_entity_sample, travel_budget,
             NAME_SINCE_21("travel_budget", "projectile_speed"), REAL, REQUIRED, .moved = 0),
    FIELD(projectile_entity_sample, owner_id, INT, REQUIRED),
};
static const struct cdt_struct S(projectile) = TABLE("ProjectileEntitySample", S(projectile_fields),
                                                     projectile_entity_sample, .own = true);

static const struct cdt_field S(secondary_fields)[] = {
    HEAD(secondary_projectile_entity_sample),
    FIELD(secondary_projectile_entity_sample, type_id, INT, REQUIRED),
    FIELD(secondary_projectile_entity_sample, angle, REAL, REQUIRED),
    FIELD_WITH(secondary_projectile_entity_sample, pos, STRUCT, REQUIRED, .of = &pair),
    FIELD_WITH(secondary_projectile_entity_sample, vel, STRUCT, REQUIRED, .of = &pair),
    FIELD(secondary_projectile_entity_sample, speed, REAL, REQUIRED),
    FIELD_AS(secondary_projectile_entity_sample, trail_timer,
             NAME_SINCE_21("trail_timer", "trail_distance"), REAL, REQUIRED, .moved = 0),
    FIELD(secondary_projectile_entity_sample, owner_id, INT, REQUIRED),
    FIELD(secondary_projectile_entity_sample, target_id, INT, REQUIRED),
};
static const struct cdt_struct S(secondary) = TABLE("SecondaryProjectileEntitySample",
                                                    S(secondary_fields),
                                                    secondary_projectile_entity_sample,
                                                    .own = true);

static const struct cdt_field S(entities_fields)[] = {
    FIELD_WITH(entity_samples_snapshot, creatures, LIST, REQUIRED, .of = &S(creature)),
    FIELD_WITH(entity_samples_snapshot, projectiles, LIST, REQUIRED, .of = &S(projectile)),
    FIELD_WITH(entity_samples_snapshot, secondary_projectiles, LIST, REQUIRED, .of = &S(secondary)),
    FIELD_WITH(entity_samples_snapshot, bonuses, LIST, REQUIRED, .of = &bonus),
};
static const struct cdt_struct S(entities) = TABLE("EntitySamplesSnapshot", S(entities_fields),
                                                   entity_samples_snapshot, .own = false);

static const struct cdt_field S(channels_fields)[] = {
    FIELD_WITH(replay_tick_channels, replay_step, STRUCT, REQUIRED, .of = &step, MOVED(5)),
    FIELD_WITH(replay_tick_channels, checkpoint, STRUCT, REQUIRED, .of = &S(checkpoint), MOVED(0)),
    FIELD_WITH(replay_tick_channels, sim_state, STRUCT, REQUIRED, .of = &sim_state, MOVED(1)),
    FIELD_WITH(replay_tick_channels, entity_samples, STRUCT, REQUIRED, .of = &S(entities),
               MOVED(2)),
    FIELD_WITH(replay_tick_channels, rng_stream, LIST, REQUIRED, .of = &rng, MOVED(3)),
    FIELD_WITH(replay_tick_channels, timing_samples, LIST, REQUIRED, .of = &timing, MOVED(4)),
};
static const struct cdt_struct S(channels) = TABLE("ReplayTickChannels", S(channels_fields),
                                                   replay_tick_channels, .moved = true,
                                                   .own = true);

static const struct cdt_field S(tick_fields)[] = {
    FIELD(tick_record, tick_index, INT, REQUIRED),
    FIELD(tick_record, elapsed_ms, INT, REQUIRED),
    FIELD(tick_record, dt_ms_i32, INT, REQUIRED),
    FIELD(tick_record, mode_id, INT, REQUIRED),
    FIELD_WITH(tick_record, channels, STRUCT, REQUIRED, .of = &S(channels)),
};
static const struct cdt_struct S(tick) = TABLE("TickRecord", S(tick_fields), tick_record,
                                               .own = false);

static const struct cdt_field S(block_fields)[] = {
    FIELD(tick_block, start_tick, INT, REQUIRED),
    FIELD(tick_block, end_tick, INT, REQUIRED),
    FIELD_WITH(tick_block, ticks, LIST, REQUIRED, .of = &S(tick)),
};
static const struct cdt_struct S(block) = TABLE("TickBlock", S(block_fields), tick_block,
                                                .own = false);

const struct cdt_model S(cdt_model) = {
    .container = RAS_CDT_FORMAT_VERSION_2,
    .schema = SCHEMA,
    .meta = &cdt_meta_2,
    .footer = &cdt_footer_2,
    .block = &S(block),
    .channels = &S(channels),
    .entities = &S(entities),
    .rows = {[CDT_ROW_TICK] = &S(tick),
             [CDT_ROW_CHECKPOINT] = &S(checkpoint),
             [CDT_ROW_PLAYER] = &checkpoint_player,
             [CDT_ROW_DEATH] = &death,
             [CDT_ROW_HIT] = &hit,
             [CDT_ROW_SIM_STATE] = &sim_state,
             [CDT_ROW_SIM_PLAYER] = &sim_player,
             [CDT_ROW_CREATURE] = &S(creature),
             [CDT_ROW_PROJECTILE] = &S(projectile),
             [CDT_ROW_SECONDARY] = &S(secondary),
             [CDT_ROW_BONUS] = &bonus,
             [CDT_ROW_RNG] = &rng,
             [CDT_ROW_TIMING] = &timing,
             [CDT_ROW_STEP] = &step,
             [CDT_ROW_INPUT] = &input},
    .row_count = CDT_ROWS,
};
#undef NAME_SINCE_21

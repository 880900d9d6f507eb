/* cdt_table_meta.c - the structs of META and FOTR. */
#include "formats/cdt/cdt_table.h"

static const struct cdt_field trace_producer_fields[] = {
    FIELD(trace_producer, impl, STR, REQUIRED),
    FIELD(trace_producer, impl_version, STR, DEFAULT),
    FIELD(trace_producer, platform, STR, DEFAULT),
    FIELD(trace_producer, arch, STR, DEFAULT),
};
static STRUCT(trace_producer, "TraceProducer", CLOSED, NODE);

static const struct cdt_field trace_source_fields[] = {
    FIELD(trace_source, path, STR, NULLABLE),
    FIELD(trace_source, sha256, STR, NULLABLE),
    FIELD_WITH(trace_source, size, INT, NULLABLE, .zig = CDT_ZIG_UNSIGNED),
    FIELD(trace_source, mtime_ns, INT, NULLABLE),
    FIELD_WITH(trace_source, kind, STR, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD(trace_source, tick_rate, INT, NULLABLE),
    FIELD_WITH(trace_source, seed, INT, NULLABLE, .zig = CDT_ZIG_UNSIGNED),
    FIELD(trace_source, mode_id, INT, NULLABLE),
    FIELD(trace_source, quest_level, STR, NULLABLE),
    FIELD_WITH(trace_source, run_id, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, quest_stage_major, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, quest_stage_minor, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, global_tick_first, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, global_tick_last, INT, NULLABLE, .zig = CDT_ZIG_DROP),
    FIELD_WITH(trace_source, run_start_seed_source, STR, NULLABLE, .zig = CDT_ZIG_DROP),
};
static STRUCT(trace_source, "TraceSource", CLOSED, NODE);

static const struct cdt_field trace_tick_range_fields[] = {
    FIELD(trace_tick_range, start_tick, INT, REQUIRED),
    FIELD(trace_tick_range, end_tick, INT, REQUIRED),
    FIELD(trace_tick_range, tick_count, INT, REQUIRED),
};
static STRUCT(trace_tick_range, "TraceTickRange", CLOSED, NODE);

static const struct cdt_field game_status_data_fields[] = {
    FIELD(game_status_data, quest_unlock_index, INT, DEFAULT),
    FIELD(game_status_data, quest_unlock_index_full, INT, DEFAULT),
    FIELD_WITH(game_status_data, weapon_usage_counts, FIXED_POS, DEFAULT,
               .fixed = RAS_CDT_WEAPON_COUNT, .zig = CDT_ZIG_UNSIGNED),
    FIELD_WITH(game_status_data, quest_play_counts, FIXED, DEFAULT, .fixed = RAS_CDT_QUEST_COUNT,
               .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, mode_play_survival, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, mode_play_rush, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, mode_play_typo, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, mode_play_other, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, game_sequence_id, INT, DEFAULT, .zig = CDT_ZIG_DROP),
    FIELD_WITH(game_status_data, unknown_tail, BIN, DEFAULT, .fixed = 16, .zig = CDT_ZIG_DROP),
};
STRUCT(game_status_data, "GameStatusData", CLOSED, NODE);

static const struct cdt_field trace_meta_fields[] = {
    FIELD(trace_meta, trace_format_version, INT, REQUIRED),
    FIELD(trace_meta, trace_schema_version, INT, REQUIRED),
    FIELD(trace_meta, created_utc, STR, REQUIRED),
    FIELD_WITH(trace_meta, producer, STRUCT, REQUIRED, .of = &cdt_trace_producer),
    FIELD_WITH(trace_meta, source, STRUCT, REQUIRED, .of = &cdt_trace_source),
    FIELD_WITH(trace_meta, tick_range, STRUCT, REQUIRED, .of = &cdt_trace_tick_range),
    FIELD_WITH(trace_meta, status, STRUCT, NULLABLE, .of = &cdt_game_status_data),
};
STRUCT(trace_meta, "TraceMeta", CLOSED, NODE);

static const struct cdt_field tick_block_index_entry_fields[] = {
    FIELD(tick_block_index_entry, start_tick, INT, REQUIRED),
    FIELD(tick_block_index_entry, end_tick, INT, REQUIRED),
    FIELD(tick_block_index_entry, file_offset, INT, REQUIRED),
    FIELD(tick_block_index_entry, compressed_len, INT, REQUIRED),
    FIELD(tick_block_index_entry, uncompressed_len, INT, REQUIRED),
    FIELD_WITH(tick_block_index_entry, checksum, INT, REQUIRED, .zig = CDT_ZIG_UNSIGNED),
};
static STRUCT(tick_block_index_entry, "TickBlockIndexEntry", OPEN, NODE);

static const struct cdt_field trace_footer_fields[] = {
    FIELD_WITH(trace_footer, tick_blocks, LIST, REQUIRED, .of = &cdt_tick_block_index_entry),
    FIELD(trace_footer, tick_count, INT, REQUIRED),
    FIELD(trace_footer, first_tick, INT, REQUIRED),
    FIELD(trace_footer, last_tick, INT, REQUIRED),
};
STRUCT(trace_footer, "TraceFooter", OPEN, NODE);

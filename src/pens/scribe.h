/* scribe.h - who writes one trace of a run, tick by tick; and the desk, which collects the notes of
 * a tick and gives it to all of them.
 *
 * A scribe is a row. Its file is begun with the first note that is for it; ticks before that one
 * are written without content. Everything here runs in the pens' thread, or in repair. */
#ifndef PENS_SCRIBE_H
#define PENS_SCRIBE_H

#include "base/memory.h"
#include "base/out.h"
#include "pens/ledger.h"

struct tick_rows; /* core/tick_index.h */

/* What is written down. */
struct scribe_run {
    const char *program;
    uint64_t seed;
    struct ras_bytes settings;
    uint64_t first_tick; /* known when the first tick begins */
    double dt_seconds;
    struct ras_folder *folder;
};

/* The last picture that was handed over, its pixels without padding; or none. */
struct desk_picture {
    bool there;
    struct picture_note about;
    struct out bytes; /* pixels, then 1024 bytes of a palette if it is indexed */
};

/* One tick. Lists are empty for one that came before the scribe began. */
struct desk_tick {
    uint64_t tick, ordinal; /* the first has ordinal 0 */
    uint64_t begin_ns, end_ns;
    uint64_t hash; /* snapshot hash; 0: none */
    const struct ras_murk_command *commands;
    uint32_t command_count;
    const struct ras_pens_entity *entities;
    size_t entity_count;
    const struct player_note *players;
    size_t player_count;
    const struct draw_note *draws;
    size_t draw_count;
    struct ras_bytes row;               /* of CDT; empty: from the lists */
    const struct desk_picture *picture; /* NULL: none */
    const struct ras_bytes *streams;    /* of ACMD */
    size_t stream_count;
};

/* A tick of an old file was taken over. */
typedef void took_tick(void *user, uint64_t tick, uint32_t commands);

struct scribe_type {
    const char *name, *file;
    const char *lacks;         /* why it is left out where nothing is for it */
    bool always;               /* it is begun with the first tick */
    const char *const *varies; /* paths that differ between any two runs; NULL ends them */
    int (*open)(void **scribe, const struct scribe_run *, struct ras_error *);
    /* A note as it comes; NULL: only whole ticks are taken. */
    int (*note)(void *scribe, uint64_t tick, const struct note *, struct ras_error *);
    int (*tick)(void *scribe, const struct desk_tick *, struct ras_error *);
    int (*flush)(void *scribe, struct ras_error *);
    uint64_t (*size)(const void *scribe); /* bytes of the file so far */
    void (*place)(const void *scribe, struct tick_rows *);
    int (*close)(void *scribe, struct ras_error *); /* frees in any case */
    void (*drop)(void *scribe);                     /* NULL is fine */
    /* Take over the ticks of an old file up to *last, which becomes the last tick that was taken;
     * RAS_NONE: none. Without a scribe (NULL) they are only found. `took` is called for each. */
    int (*resume)(void *scribe, struct ras_bytes old, uint64_t first_tick, uint64_t *last,
                  took_tick *took, void *user, struct ras_error *);
};

enum { MURK, CDT, AEROGPU, DIAL9, SCRIBES };
_Static_assert((int)SCRIBES == (int)STAGE_FILES, "the ledger has the sizes of all files");
extern const struct scribe_type murk_scribe, cdt_scribe, aerogpu_scribe, dial9_scribe;
extern const struct scribe_type *const scribes[SCRIBES];

/* The signal that ended the program, as the recorder of its calls has noted it. */
struct scribe_crash {
    uint64_t tick; /* RAS_NONE: none had begun */
    uint64_t time_ns;
    uint32_t signal, thread_id;
    int32_t code;
    bool has_address, has_thread;
    uint64_t address;
    uint64_t stack[2]; /* where it was, and where that function returns to */
    uint32_t stack_count;
};
/* scribe_dial9.c: an event `crash` after the last tick. */
int dial9_scribe_crash(void *scribe, const struct scribe_crash *, struct ras_error *);

/* ---- desk.c -------------------------------------------------------------------------------------
 */

/* Consecutive ticks. */
struct tick_range {
    uint64_t first, count;
};

struct desk {
    struct scribe_run run;
    void *scribe[SCRIBES];
    bool excluded[SCRIBES]; /* by the options */
    bool late[SCRIBES];     /* begun after the first tick: has no column in ticks.idx */
    bool open;              /* a tick is */
    struct desk_tick tick;
    uint64_t ticks, last, commands; /* that have ended */
    struct tick_range *ranges;      /* of those */
    size_t range_count, range_room;
    uint64_t hash; /* of the state of this tick */
    bool hashed, given;
    uint64_t begin_ns, end_ns; /* of all ticks */
    /* Of the tick that is open. */
    struct arena arena;
    struct ras_murk_command *commands_at;
    size_t command_room;
    struct ras_pens_entity *entities;
    size_t entity_room;
    struct player_note *players;
    size_t player_room;
    struct draw_note *draws;
    size_t draw_room;
    struct ras_bytes *streams;
    size_t stream_room;
    struct desk_picture picture;
    struct tick_rows *rows;
    struct ras_sink *rows_sink, *rows_file; /* in memory until all files have the tick */
    /* Called when a file was begun: run.json names it. */
    int (*begun)(void *user, struct ras_error *);
    void *user;
};

int desk_open(struct desk *, const struct scribe_run *, struct ras_error *);
/* RAS_EFORMAT: not a valid note, of a damaged ledger. */
int desk_note(struct desk *, const struct note *, struct ras_error *);
/* Ticks that are in the files already, and the scribes that wrote them. */
int desk_resumed(struct desk *, uint64_t tick, struct ras_error *);
int desk_begin(struct desk *, unsigned scribe, struct ras_error *);
/* Between ticks: all that was written is handed to the system, ticks.idx last. */
int desk_flush(struct desk *, struct stage_saved *, struct ras_error *);
int desk_close(struct desk *, struct ras_error *);
void desk_free(struct desk *); /* what is open is dropped */
#endif

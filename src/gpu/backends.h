/* backends.h - the back ends of this library, their limits and their vertex attributes. */
#ifndef GPU_BACKENDS_H
#define GPU_BACKENDS_H

#include "gpu/backends.h"
#include "core/gpu_engine.h"

extern const struct gpu_backend gpu_software, gpu_gles;

extern const struct gpu_limits gpu_limits_default;
/* The limits requested, with the default where one is zero. */
struct gpu_limits gpu_limits_of(const struct gpu_limits *requested);

/* Component c of an attribute of the vertex at `at`; of integers the bits. */
float gpu_attribute_at(const struct gpu_attribute *attribute, const uint8_t *at, uint32_t c);
uint32_t gpu_attribute_bytes(const struct gpu_attribute *attribute);

/* ---- work -------------------------------------------------------------------------------- */

/* How much a replay may do in all, and how long one submission or packet may take. Work is counted
 * down by slices: a clock is read only where a slice is used up, so that counting costs a
 * comparison and a subtraction. */

struct work {
    uint64_t left; /* of the slice; 0: work was refused */
    uint64_t rest; /* of the replay, apart from the slice */
    uint64_t limit;
    uint64_t wanted;           /* work done, and the piece that was refused */
    uint32_t time_ms, took_ms; /* at most; of the piece that was refused for it, otherwise 0 */
    int64_t began_ms;
};

void work_start(struct work *work, const struct gpu_limits *limits);
/* A submission or packet begins: its time is counted from now on. */
void work_begin(struct work *work);
/* A new slice that holds `cost`. False: that is too much, or the time is over. */
bool work_more(struct work *work, uint64_t cost);
int64_t work_now_ms(void);

/* False: refused. */
static inline bool work_take(struct work *work, uint64_t cost)
{
    if (work->left <= cost)
        return work_more(work, cost);
    work->left -= cost;
    return true;
}

/* Why work was refused, with both numbers, for a message. */
const char *work_refusal(const struct work *work, char text[120]);

/* ---- packet blob ------------------------------------------------------------------------- */

/* The blobs that packets of Appendix A refer to, and the numbers in them. */

/* The blob of that id, which must be of that kind; errors begin with the opcode's name. */
int packet_blob(const struct gpu_source *source, const char *opcode, uint64_t id, uint32_t kind,
                struct ras_bytes *data, struct ras_error *err);

/* Floats that every vertex has at an offset. */
struct packet_attribute {
    const char *what;
    uint32_t offset, size; /* bytes */
};

/* Whether all of them are numbers, of `count` vertices that are known to lie in the buffer. A
 * stride of 0 is that of the attribute alone. False: `why` says which is not. */
bool packet_numbers(const struct packet_attribute *attribute, const uint8_t *buffer,
                    uint32_t stride, uint32_t first, uint32_t count, char why[80]);
#endif

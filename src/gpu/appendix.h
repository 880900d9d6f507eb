/* appendix.h - packets of Appendix A in software, for shaders that are proven to be executed. */
#ifndef GPU_APPENDIX_H
#define GPU_APPENDIX_H

#include "gpu/backends.h"

struct appendix; /* state of it, from the first packet on */

int appendix_packet(struct gpu *gpu, struct ras_bytes packet, const struct gpu_source *source,
                    struct ras_error *err);
/* RAS_END: another buffer is set. */
int appendix_vertices(struct gpu *gpu, uint32_t id, struct gpu_vertices *vertices);
void appendix_free(struct gpu *gpu);
#endif

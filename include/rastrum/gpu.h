/* gpu.h - librastrum-gpu: what executes GPU commands for ras_render() and others.
 *
 * librastrum reads traces without it. A program that wants pictures links librastrum-gpu, too, and
 * passes ras_gpu() in its options.
 *
 *     const struct ras_render_options options = {.gpu = ras_gpu()};
 *     struct ras_render rendered;
 *     if (ras_render(&rendered, trace, &options, err) >= RAS_OK)
 *         printf("%" PRIu64 " frames\n", rendered.frames); */
#ifndef RASTRUM_GPU_H
#define RASTRUM_GPU_H

#include <rastrum/render.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For ras_render_options.gpu, ras_compare_options.gpu and ras_aero_resource_options.gpu. Constant.
 */
RAS_API const struct ras_gpu *ras_gpu(void);

#ifdef __cplusplus
}
#endif
#endif

/* gles_process.h - OpenGL ES in a process of its own: shader text is untrusted, and its compiler is
 * large. Calls are put into memory that both processes share, run when an answer is wanted, and
 * answered there. A crash or hang of the driver ends the process, not us. */
#ifndef GPU_GLES_PROCESS_H
#define GPU_GLES_PROCESS_H

#include "gpu/backends.h"

enum gles_kind {
    GLES_BUFFER,       /* object, size: a new one, all zero */
    GLES_WRITE,        /* object, offset; the bytes */
    GLES_DROP_BUFFER,  /* object */
    GLES_PROGRAM,      /* object, length of the first; vertex and fragment shader text */
    GLES_DROP_PROGRAM, /* object */
    GLES_USE,          /* program object */
    GLES_VERTICES,     /* buffer object, stride, offset of position, of color */
    GLES_VIEWPORT,     /* width, height: from the top left corner */
    GLES_CLEAR,        /* r, g, b, a: float bits */
    GLES_DRAW,         /* vertex count, first vertex */
    GLES_READ,         /* the canvas into `pixels` */
};
enum { GLES_ARGUMENTS = 4 };

/* `len` bytes follow, padded to 8. */
struct gles_call {
    uint32_t kind;   /* enum gles_kind */
    uint32_t opcode; /* of the packet that it comes from, at `offset` */
    uint64_t offset;
    uint32_t argument[GLES_ARGUMENTS];
    uint32_t len, spare;
};

#define GLES_QUEUE_SIZE  ((size_t)1 << 20)
#define GLES_SHADER_MAX  ((size_t)256 << 10) /* bytes of text: two of them fit the queue */
#define GLES_OBJECTS_MAX 65536u              /* buffers and programs, each */
#define GLES_ROUNDS      65535u              /* of loops in one run of a shader */
#define GLES_TEXT_SIZE   ((size_t)8 << 10)

/* What the two processes share. The answer is untrusted: it is copied, then checked. */
struct gles_shared {
    uint32_t width, height;
    uint32_t used; /* of the queue */
    /* The answer: how it went, and the call that failed or that is being run. */
    volatile int32_t status;
    volatile uint32_t opcode;
    volatile uint64_t offset;
    uint32_t locations; /* of the program linked last: a bit for each attribute it reads */
    uint32_t unchanged; /* a shader of it was compiled as it is, maybe with fewer bits */
    char text[GLES_TEXT_SIZE];
    _Alignas(16) uint8_t queue[GLES_QUEUE_SIZE];
    _Alignas(64) uint8_t pixels[]; /* RGBA rows, from the bottom as OpenGL has them */
};

struct gles_process {
    struct gles_shared *shared;
    size_t shared_size;
    int pid;         /* 0: there is none, or no more */
    int ask, answer; /* our ends of two pipes */
    int ask_read;    /* the other end too, so that a death raises no SIGPIPE */
    uint32_t width, height;
    struct work work; /* nanoseconds that it took */
};

/* Start it, with the canvas ready. RAS_EUNSUPPORTED: OpenGL ES is not here. */
int gles_process_open(struct gles_process *p, uint32_t width, uint32_t height,
                      const struct gpu_limits *limits, struct ras_error *err);
/* Put a call; the queue is run before when it is full. */
int gles_process_put(struct gles_process *p, const struct gles_call *call, const void *data,
                     struct ras_error *err);
/* Run what was put, and wait. The error names the opcode and its offset. */
int gles_process_run(struct gles_process *p, struct ras_error *err);
/* Flip the pixels of a GLES_READ so that their first row is the top one. */
void gles_process_flip(struct gles_process *p);
void gles_process_close(struct gles_process *p);

/* gles_filter.c: calls to the kernel that this process, with all threads it has and will start,
 * does not need to load a driver, or then to run it, are refused from now on; no new privileges
 * must be set. False: the kernel does not do it, and nothing changed. */
bool gles_filter_loading(void);
bool gles_filter(void);

/* gles_child.c: main() of the other process; it does not return. */
_Noreturn void gles_child(struct gles_shared *shared, int ask, int answer,
                          const struct gpu_limits *limits);
#endif

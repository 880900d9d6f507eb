/* game.c - a small simulation that feeds every pen, or some; it can be made to go wrong.
 *
 * game DIR TICKS [WORD...]: durable; replace; pens=murk,cdt; fault=TICK (one draw more); kill=TICK
 * (SIGKILL in that tick); cut=TICK (before its state is handed over); exit=TICK (exit() in that
 * tick); fork=TICK (a child that draws and ends);
 * feed=KINDS (letters of what is handed over: i inputs, s state, e entities, d draws, v events,
 * p pictures, t parts of ticks; all of these by default; w threads, c commands, bytes and a hash of
 * its own, r rows, g streams of GPU commands); first=TICK; step=N; slow=US; flush=MS;
 * big (pictures of 640 x 400); back=TICK (then a tick that is out of order); late=TICK (nothing but
 * ticks before it); close2 (uses the pens after they are closed); never (threads draw for ever,
 * also while the pens are closed); exec (becomes `true` after the last tick); alarm (a timer whose
 * handler must be called in the first thread); tell (writes every tick's number
 * to standard output before it begins) */
#include <rastrum/aerogpu.h>
#include <rastrum/cdt.h>
#include <rastrum/dial9.h>
#include <rastrum/pens.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct words {
    const char *pens, *feed;
    bool durable, replace, big, close2, tell, never, exec, alarm;
    uint64_t fault, kill, cut, exit, fork, first, step, slow, back, late;
    unsigned flush;
};

static struct ras_pens *pens;
static uint32_t rng = 12345, shown_name, mob_name, text_name, phase_name, hit_type;

static uint32_t draw(uint32_t caller)
{
    uint32_t before = rng;
    rng = rng * 1103515245u + 12345u;
    ras_pens_draw(pens, caller, rng >> 17, before, rng);
    return rng >> 17;
}

static bool feeds(const struct words *w, char what)
{
    return !w->feed || strchr(w->feed, what);
}

struct mob {
    double x, y;
    int hp;
};
enum { MOBS = 12 };
static struct mob mobs[MOBS];

static void picture(const struct words *w, uint64_t tick)
{
    static uint32_t pixels[640 * 400];
    uint32_t width = w->big ? 640 : 33, height = w->big ? 400 : 7;
    for (uint32_t i = 0; i < width * height; i++)
        pixels[i] = 0xff000000u | (i * 7 & 0xff) << 8;
    for (int i = 0; i < MOBS; i++)
        pixels[(uint32_t)(mobs[i].x * 100 + i) % (width * height)] = 0xff0000ffu + (uint32_t)i;
    if (tick % 5)
        ras_pens_pixels(pens, RAS_PENS_RGBA, width, height, 0, pixels, NULL);
}

/* A clear and a present, in a stream of their own. */
static void stream(void)
{
    uint8_t bytes[RAS_AERO_STREAM_HEADER_SIZE + 16] = {0};
    const struct ras_aero_stream head = {.abi_version = 0x10000, .size_bytes = sizeof bytes};
    const struct ras_aero_command present = {.opcode = 0x700, .size_bytes = 16};
    ras_aero_stream_put(&head, bytes);
    ras_aero_command_put(&present, bytes + RAS_AERO_STREAM_HEADER_SIZE);
    ras_pens_commands(pens, (struct ras_bytes){bytes, sizeof bytes});
}

static void rarely_used(const struct words *w, uint64_t tick)
{
    uint8_t despawn[8] = {(uint8_t)tick};
    const struct ras_murk_command command = {.payload_type = RAS_MURK_DESPAWN,
                                             .payload = {despawn, sizeof despawn},
                                             .expires_after_tick = tick,
                                             .has_source_id = true,
                                             .source_id = 9};
    struct ras_cdt_tick_record row = {.elapsed_ms = (int64_t)tick * 16, .mode_id = 3};
    row.channels.checkpoint.elapsed_ms = row.elapsed_ms;
    if (strchr(w->feed, 'c')) {
        ras_pens_command(pens, &command);
        ras_pens_bytes(pens, mob_name, 1, despawn, sizeof despawn);
        ras_pens_snapshot(pens, tick * 1000);
    }
    if (strchr(w->feed, 'r'))
        ras_pens_row(pens, &row);
    if (strchr(w->feed, 'g'))
        stream();
}

/* Every function where nothing is recorded, and with nothing. */
static void nulls(void)
{
    struct ras_pens *none = NULL;
    ras_pens_tick(none, 1);
    ras_pens_settled(none);
    ras_pens_flush(none);
    ras_pens_input(none, 1, "x", 1);
    ras_pens_command(none, NULL);
    ras_pens_bytes(none, 1, 0, NULL, 0);
    ras_pens_members(none, 1, 0, NULL, NULL, 0);
    ras_pens_int(none, 1, 0, 1);
    ras_pens_real(none, 1, 0, 1);
    ras_pens_text(none, 1, 0, NULL);
    ras_pens_snapshot(none, 1);
    ras_pens_draw(none, 1, 2, 3, 4);
    ras_pens_entity(none, NULL);
    ras_pens_player(none, 0, 0, 0, 0, 0, 0);
    ras_pens_row(none, NULL);
    ras_pens_event(none, 1, NULL, 0);
    ras_pens_begin(none, 1);
    ras_pens_end(none, 1);
    ras_pens_pixels(none, RAS_PENS_RGBA, 1, 1, 0, NULL, NULL);
    ras_pens_commands(none, (struct ras_bytes){NULL, 0});
    ras_pens_leave(none);
    if (ras_pens_name(none, "x") || ras_pens_event_type(none, NULL) || ras_pens_is_on(none) ||
        ras_pens_close(none, NULL) < 0)
        exit(8);
    /* The same of pens that are open: what is not there is not written. */
    ras_pens_command(pens, NULL);
    ras_pens_bytes(pens, 77, 0, NULL, 5);
    ras_pens_members(pens, 0, 0, NULL, NULL, 3);
    ras_pens_text(pens, 0, 0, NULL);
    ras_pens_entity(pens, NULL);
    ras_pens_row(pens, NULL);
    ras_pens_event(pens, 0, NULL, 0);
    ras_pens_end(pens, 12345);
    ras_pens_pixels(pens, RAS_PENS_RGBA, 0, 0, 0, NULL, NULL);
    ras_pens_commands(pens, (struct ras_bytes){NULL, 0});
    if (ras_pens_name(pens, NULL) || ras_pens_event_type(pens, NULL))
        exit(8);
}

static void *worker(void *user)
{
    (void)user;
    ras_pens_draw(pens, 99, 7, 1, 2);
    return NULL;
}

static void step(const struct words *w, uint64_t tick)
{
    uint32_t input = (uint32_t)tick * 3;
    for (int i = 0; i < 4 && feeds(w, 'i'); i++)
        ras_pens_input(pens, (uint32_t)i, &input, sizeof input);
    if (feeds(w, 't'))
        ras_pens_begin(pens, phase_name);
    for (int i = 0; i < MOBS; i++) {
        mobs[i].x += feeds(w, 'd') ? draw(1) % 16 / 16.0 : 0.25;
        mobs[i].hp--;
        if (feeds(w, 'e')) {
            struct ras_pens_entity e = {.slot = (uint32_t)i, .kind = i % 3, .hp = mobs[i].hp};
            e.pool = (enum ras_pens_pool)(i % 4);
            e.x = mobs[i].x;
            ras_pens_entity(pens, &e);
        }
        if (feeds(w, 'v') && mobs[i].hp % 10 == 0) {
            const struct ras_dial9_value v[2] = {{.type = RAS_DIAL9_POOLED_STRING, .u = mob_name},
                                                 {.type = RAS_DIAL9_F64, .f64 = mobs[i].x}};
            ras_pens_event(pens, hit_type, v, 2);
        }
    }
    if (w->fault == tick)
        draw(2);
    if (feeds(w, 'e'))
        ras_pens_player(pens, 0, mobs[0].x, 1, 100, (int64_t)tick, 1);
    if (feeds(w, 't'))
        ras_pens_end(pens, phase_name);
    if (feeds(w, 's')) {
        static const struct ras_pens_span spans[] = {{0, 8}, {16, 4}};
        ras_pens_int(pens, shown_name, 0, mobs[3].hp);
        ras_pens_real(pens, shown_name, 1, mobs[3].x);
        ras_pens_text(pens, text_name, 0, "caf\xc3\xa9 \xff");
        for (int i = 0; i < MOBS; i++)
            ras_pens_members(pens, mob_name, (uint64_t)i, &mobs[i], spans, 2);
    }
    if (w->feed && strchr(w->feed, 'w')) {
        pthread_t t[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], NULL, worker, NULL);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
    }
    if (w->feed)
        rarely_used(w, tick);
    ras_pens_settled(pens);
    if (feeds(w, 'p'))
        picture(w, tick);
}

static void *draws_for_ever(void *user)
{
    const struct ras_dial9_value v[2] = {{.type = RAS_DIAL9_POOLED_STRING, .u = mob_name},
                                         {.type = RAS_DIAL9_F64, .f64 = 1}};
    (void)user;
    for (;;) {
        ras_pens_draw(pens, 98, 1, 2, 3);
        ras_pens_event(pens, hit_type, v, 2);
    }
    return NULL;
}

static void start_for_ever(void)
{
    pthread_t t;
    for (int i = 0; i < 3; i++)
        pthread_create(&t, NULL, draws_for_ever, NULL);
}

static pthread_t first_thread;
static volatile sig_atomic_t alarms, elsewhere;

static void on_alarm(int number)
{
    (void)number;
    alarms++;
    elsewhere += !pthread_equal(pthread_self(), first_thread);
}

/* Blocked in the first thread, they would go to any other that takes them. */
static void start_alarms(void)
{
    const struct itimerval often = {{0, 200}, {0, 200}};
    sigset_t alarm;
    first_thread = pthread_self();
    signal(SIGALRM, on_alarm);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 20; i++)
        usleep(1000);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
}

static void child(void)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        draw(77);
        ras_pens_tick(pens, 1000000);
        ras_pens_leave(pens);
        draw(78);
        exit(0);
    }
    waitpid(pid, &status, 0);
}

static void take_word(struct words *w, const char *word)
{
    const char *value = strchr(word, '=');
    size_t len = value ? (size_t)(value - word) : strlen(word);
    uint64_t n = value ? strtoull(value + 1, NULL, 10) : 1;
#define IS(name) (len == strlen(name) && !memcmp(word, name, len))
    if (IS("pens"))
        w->pens = value + 1;
    else if (IS("feed"))
        w->feed = value + 1;
    else if (IS("flush"))
        w->flush = (unsigned)n;
    else
        *(IS("fault")   ? &w->fault
          : IS("kill")  ? &w->kill
          : IS("cut")   ? &w->cut
          : IS("exit")  ? &w->exit
          : IS("fork")  ? &w->fork
          : IS("first") ? &w->first
          : IS("step")  ? &w->step
          : IS("slow")  ? &w->slow
          : IS("back")  ? &w->back
                        : &w->late) = IS("late") || value ? n : w->late;
    w->durable |= IS("durable");
    w->replace |= IS("replace");
    w->big |= IS("big");
    w->close2 |= IS("close2");
    w->tell |= IS("tell");
    w->never |= IS("never");
    w->exec |= IS("exec");
    w->alarm |= IS("alarm");
}

static void open_pens(const struct words *w, const char *dir)
{
    struct ras_error err = {0};
    static const struct ras_dial9_field fields[] = {{"who", RAS_DIAL9_POOLED_STRING},
                                                    {"x", RAS_DIAL9_F64}};
    const struct ras_dial9_schema hit = {"hit", fields, 2, true};
    const struct ras_pens_options how = {
        .dir = strcmp(dir, "-") ? dir : NULL,
        .program = "game",
        .seed = 7,
        .settings = {(const uint8_t *)"size 12", 7},
        .dt_seconds = 1.0 / 60,
        .pens = w->pens,
        .replace = w->replace,
        .keep = w->durable ? RAS_PENS_DURABLE : RAS_PENS_FLUSH,
        .flush_ms = w->flush,
    };
    int status = ras_pens_open(&pens, &how, &err);
    if (status < 0) {
        fprintf(stderr, "open: %s\n", err.text);
        exit(4);
    }
    shown_name = ras_pens_name(pens, "mob 3");
    mob_name = ras_pens_name(pens, "mob");
    text_name = ras_pens_name(pens, "text \xfe");
    phase_name = ras_pens_name(pens, "step");
    hit_type = ras_pens_event_type(pens, &hit);
}

static void use_closed(void)
{
    struct ras_error err;
    draw(5);
    ras_pens_tick(pens, 900000);
    ras_pens_input(pens, 1, "x", 1);
    ras_pens_flush(pens);
    if (ras_pens_close(pens, &err) != RAS_EUSAGE || ras_pens_is_on(pens))
        exit(6);
}

int main(int argc, char **argv)
{
    struct words w = {.first = 1, .step = 1};
    struct ras_error err = {0};
    if (argc < 3)
        return 2;
    for (int i = 3; i < argc; i++)
        take_word(&w, argv[i]);
    open_pens(&w, argv[1]);
    uint64_t ticks = strtoull(argv[2], NULL, 10);
    nulls();
    if (w.never)
        start_for_ever();
    if (w.alarm)
        start_alarms();
    for (uint64_t i = 0; i < ticks; i++) {
        uint64_t tick = w.first + i * w.step;
        char line[32];
        int len = snprintf(line, sizeof line, "%d\n", (int)tick);
        if (w.tell && write(STDOUT_FILENO, line, (size_t)len) != len)
            return 7;
        ras_pens_tick(pens, tick);
        if (w.cut == tick)
            raise(SIGKILL);
        if (tick >= w.late)
            step(&w, tick);
        if (w.kill == tick)
            raise(SIGKILL);
        if (w.exit == tick)
            exit(0);
        if (w.fork == tick)
            child();
        if (w.back == tick)
            ras_pens_tick(pens, tick - 1);
        if (w.slow)
            usleep((useconds_t)w.slow);
    }
    if (w.exec)
        execlp("true", "true", (char *)NULL);
    if (w.alarm && (!alarms || elsewhere))
        return 9;
    if (ras_pens_close(pens, &err) < 0) {
        fprintf(stderr, "close: %s\n", err.text);
        return 5;
    }
    if (w.close2)
        use_closed();
    return 0;
}

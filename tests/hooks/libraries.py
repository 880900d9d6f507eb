"""libraries.py - programs for tests/hooks/unchanged: what each does, with which library."""


def opened(name, code, **more):
    """A program that opens its library by the bare name."""
    return dict(body='    void *l = library("%s");\n%s' % (name, code), **more)


def version(name, function):
    return opened(name, '    printf("%%s\\n", CALL(l, const char *, "%s", (void))());' % function)


THREADS = """
PLAIN static void *work(void *user)
{
    for (int i = 0; i < 50; i++)
        free(malloc((size_t)i * 24 + 1));
    return user;
}
"""
JOINED = """
    for (int i = 0; i < 6; i++) {
        pthread_t t;
        if (!pthread_create(&t, 0, work, 0))
            pthread_join(t, 0);
        note(malloc(100));
    }"""

PROGRAMS = {
    "nothing": {"body": ""},
    "stdio": {"body": """
    char line[100];
    FILE *f = tmpfile();
    fprintf(f, "%s %d\\n", "a line", 7);
    rewind(f);
    if (fgets(line, sizeof line, f))
        fputs(line, stdout);
    fclose(f);"""},
    "zone": {"body": """
    time_t when = 1700000000;
    struct tm t;
    char text[64];
    setenv("TZ", "Asia/Kathmandu", 1);
    localtime_r(&when, &t);
    strftime(text, sizeof text, "%c %Z", &t);
    puts(text);"""},
    "wrong_errno": {"body": """
    errno = 33;
    heap_use(10);
    printf("%d\\n", errno);
    if (open("/nowhere/at/all", O_RDONLY) < 0)
        perror("open");"""},
    "dlerror": {"body": """
    void *none = dlopen("libnowhere.so.7", RTLD_NOW);
    heap_use(5);
    printf("%p %s\\n", none, dlerror());"""},
    "descriptors": {"body": """
    int ends[2];
    char byte;
    if (pipe(ends))
        return;
    printf("%d %d\\n", ends[0], ends[1]);
    heap_use(10);
    close(ends[1]);
    printf("%zd\\n", read(ends[0], &byte, 1)); /* nobody else has it open */
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    printf("%d\\n", open("/dev/null", O_RDONLY));"""},
    "threads": {"before": THREADS, "body": JOINED},
    "threads_at_once": {"before": THREADS, "body": """
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], 0);"""},
    "keys": {"body": """
    pthread_key_t keys[29];
    for (int i = 0; i < 29; i++) {
        pthread_key_create(&keys[i], 0);
        pthread_setspecific(keys[i], note(malloc(8)));
        mix(keys[i]);
    }"""},
    "handlers": {"before": "PLAIN static void done(void) { write(1, \"done\\n\", 5); }", "body": """
    for (int i = 0; i < 20; i++)
        atexit(done);"""},
    "forked": {"before": "#include <sys/wait.h>", "body": """
    int status;
    fflush(stdout);
    if (!fork()) {
        heap_use(30);
        report();
        fflush(stdout);
        _exit(5);
    }
    wait(&status);
    printf("%d\\n", WEXITSTATUS(status));"""},
    "forked_late": {"before": "#include <sys/stat.h>\n#include <sys/wait.h>", "body": """
    int status;
    struct stat s;
    heap_use(60000); /* more than is recorded without a file */
    fflush(stdout);
    if (!fork()) {
        for (int fd = 0; fd < 8; fd++)
            printf("%d ", fstat(fd, &s));
        report();
        fflush(stdout);
        _exit(5);
    }
    wait(&status);
    printf("%d\\n", WEXITSTATUS(status));"""},
    "popen": {"body": """
    char line[100];
    FILE *f = popen("echo a word", "r");
    if (f && fgets(line, sizeof line, f))
        fputs(line, stdout);
    pclose(f);"""},
    "sorted": {"before": """
PLAIN static int order(const void *a, const void *b) { return memcmp(a, b, 8); }""", "body": """
    char (*many)[8] = note(malloc(4000 * 8));
    for (int i = 0; i < 4000; i++)
        snprintf(many[i], 8, "%d", i * 7919 % 4001);
    qsort(many, 4000, 8, order);
    printf("%s %s\\n", many[0], many[3999]);"""},
    "locale": {"body": """
    printf("%s\\n", setlocale(LC_ALL, "C.UTF-8"));
    printf("%.3f %s\\n", 2.5, strerror(2));"""},
    "lookup": {"before": "#include <netdb.h>\n#include <pwd.h>", "body": """
    struct passwd *p = getpwuid(0);
    struct servent *s = getservbyname("http", "tcp");
    printf("%s %d\\n", p ? p->pw_name : "-", s ? s->s_port : 0);"""},
    "zlib": {"before": "#include <zlib.h>", "link": ["-lz"], "body": """
    unsigned char from[5000], to[6000];
    uLongf size = sizeof to;
    memset(from, 'x', sizeof from);
    compress(to, &size, from, sizeof from);
    printf("%lu\\n", size);"""},
    "zstd": {"before": "#include <zstd.h>", "link": ["-lzstd"], "body": """
    char from[5000], to[6000];
    memset(from, 'y', sizeof from);
    printf("%zu\\n", ZSTD_compress(to, sizeof to, from, sizeof from, 3));"""},
    "deflate": {"before": "#include <libdeflate.h>", "link": ["-ldeflate"], "body": """
    struct libdeflate_compressor *c = note(libdeflate_alloc_compressor(6));
    char from[5000], to[6000];
    memset(from, 'z', sizeof from);
    printf("%zu\\n", libdeflate_zlib_compress(c, from, sizeof from, to, sizeof to));"""},
    "elf": {"before": "#include <libelf.h>", "link": ["-lelf"], "body": """
    elf_version(EV_CURRENT);
    int fd = open("/proc/self/exe", O_RDONLY);
    Elf *e = note(elf_begin(fd, ELF_C_READ, 0));
    size_t count = 0;
    elf_getshdrnum(e, &count);
    printf("%d %d\\n", elf_kind(e), count > 10);
    elf_end(e);
    close(fd);"""},
    "dw": version("libdw.so.1", "dwfl_version"),
    "math": {"link": ["-lm"], "before": "#include <math.h>", "body": """
    volatile double x = 0.5;
    printf("%.17g %.17g\\n", sin(x), pow(x, 0.3));"""},
    "z_opened": version("libz.so.1", "zlibVersion"),
    "zstd_opened": version("libzstd.so.1", "ZSTD_versionString"),
    "blake": opened("libb2.so.1", """
    unsigned char out[32];
    CALL(l, int, "blake2b", (void *, const void *, const void *, size_t, size_t, size_t))
        (out, "abc", 0, 32, 3, 0);
    printf("%02x%02x\\n", out[0], out[1]);"""),
    "crypt": opened("libcrypt.so.1", """
    printf("%s\\n",
           CALL(l, char *, "crypt", (const char *, const char *))("word", "$5$salt$"));"""),
    "expat": opened("libexpat.so.1", """
    void *p = note(CALL(l, void *, "XML_ParserCreate", (const char *))(0));
    printf("%d\\n", CALL(l, int, "XML_Parse", (void *, const char *, int, int))
           (p, "<a><b/></a>", 11, 1));
    CALL(l, void, "XML_ParserFree", (void *))(p);"""),
    "lzma": version("liblzma.so.5", "lzma_version_string"),
    "bz2": version("libbz2.so.1.0", "BZ2_bzlibVersion"),
    "cxx": opened("libstdc++.so.6", """
    void *made = note(CALL(l, void *, "_Znwm", (size_t))(100));
    CALL(l, void, "_ZdlPv", (void *))(made);"""),
    "crypto": opened("libcrypto.so.3", """
    unsigned char out[32];
    CALL(l, void *, "SHA256", (const void *, size_t, void *))("abc", 3, out);
    printf("%02x%02x\\n", out[0], out[1]);"""),
    "closed": opened("libz.so.1", """
    for (int i = 0; i < 5; i++) {
        void *again = dlopen("libm.so.6", RTLD_LAZY);
        printf("%d\\n", CALL(again, int, "ilogb", (double))(1024.0));
        dlclose(again);
        note(malloc(64));
    }
    dlclose(l);"""),
    "resolv": opened("libresolv.so.2", """
    printf("%d\\n", CALL(l, void *, "__b64_ntop", (void)) != 0);"""),
    "gomp": opened("libgomp.so.1", """
    printf("%d\\n", CALL(l, int, "omp_get_max_active_levels", (void))() > 0);"""),
    "curses": version("libtinfo.so.6", "curses_version"),
    "egl": opened("libEGL.so.1", """
    printf("%x\\n", CALL(l, int, "eglGetError", (void))());"""),
}

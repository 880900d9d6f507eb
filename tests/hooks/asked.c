/* asked.c - asks for the actions of signals, and sets them: prints what it finds. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_any(int number)
{
    handled += number != 0;
}

static const char *word_of(void (*handler)(int))
{
    return handler == SIG_DFL   ? "default"
           : handler == SIG_IGN ? "ignored"
           : handler == on_any  ? "own"
                                : "other";
}

int main(int argc, char **argv)
{
    static const int numbers[] = {SIGSEGV, SIGBUS,  SIGABRT, SIGTRAP,
                                  SIGINT,  SIGTERM, SIGHUP,  SIGUSR1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction act;
        sigaction(numbers[i], NULL, &act);
        printf("%d %s", numbers[i], word_of(act.sa_handler));
        printf(" %s", word_of(signal(numbers[i], on_any)));
        if (numbers[i] != SIGSEGV)
            raise(numbers[i]);
        printf(" %s", word_of(signal(numbers[i], SIG_IGN)));
        memset(&act, 0, sizeof act);
        struct sigaction was;
        sigaction(numbers[i], &act, &was);
        printf(" %s", word_of(was.sa_handler));
        sigaction(numbers[i], NULL, &act);
        printf(" %s %d\n", word_of(act.sa_handler), (int)handled);
    }
    fflush(stdout);
    if (argc > 1)
        raise(argv[1][0] == 'i' ? SIGINT : SIGSEGV);
    return 0;
}

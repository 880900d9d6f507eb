/* again.c - calls in a thread, in children and in the same program, which it executes again. */
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 3 };

static volatile int sink;

__attribute__((noinline)) static int again_step(int x)
{
    sink = x;
    return x;
}

__attribute__((noinline)) static void steps(int count)
{
    for (int i = 0; i < count; i++)
        again_step(i);
}

static void *in_a_thread(void *user)
{
    steps(20000);
    return user;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, in_a_thread, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        if (fork() == 0) {
            steps(10000);
            _exit(0);
        }
        usleep(3000);
        steps(5000);
    }
    while (wait(NULL) > 0) {
    }
    pthread_join(thread, NULL);
    if (argc > 1)
        execl(argv[0], argv[0], (char *)0);
    return 0;
}

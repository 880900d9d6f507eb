# Nothing could be written: that is why nothing is there, not that no function was called.
cat >f.c <<END
__attribute__((noinline)) int f(int x) { return x + 1; }
int main(void) { return f(f(-2)); }
END
gcc -O0 -finstrument-functions f.c -o f
rastrum record -o whole -- ./f 2>&1 | grep -o '[0-9]* events'
(trap '' XFSZ; ulimit -f 0; rastrum record -o none -- ./f || echo "exit $?") 2>&1 | cat

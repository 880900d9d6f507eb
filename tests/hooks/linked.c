/* linked.c - a program that is linked with a module, of which it calls a function. */
int first(int x);

__attribute__((constructor)) static void prepare(void)
{
    first(0);
}

int main(void)
{
    return first(1) == 3 ? 0 : 1;
}

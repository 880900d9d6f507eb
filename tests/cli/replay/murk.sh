# A replay is executed again; a tick that differs is reported with its commands.
cd "$GOLDEN"/murk
rastrum replay world.murk
rastrum replay --verbose world.murk
rastrum replay world_differs.murk || echo "exit $?"
rastrum replay --keep-going world_differs.murk || echo "exit $?"
rastrum replay --against world.murk world_differs.murk || echo "exit $?"
rastrum replay --json world.murk world_differs.murk || echo "exit $?"
rastrum replay --json --verbose world_fails.murk
rastrum replay --until 3 --dump-fields world.murk
rastrum replay --order recorded world.murk

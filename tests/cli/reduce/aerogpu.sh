# A GPU trace: frames go, then packets, with the blobs that nothing names any more.
cp "$GOLDEN"/aerogpu/big-steady.aerogputrace run.aerogputrace
rastrum reduce run.aerogputrace -o min.aerogputrace -- \
    sh -c 'rastrum cat --type submission --where "signal_fence == 5" "$1"' sh {}
rastrum cat --fields name,kind_name min.aerogputrace
rastrum verify --deep min.aerogputrace
cp "$GOLDEN"/aerogpu/every_command.acmd run.acmd
rastrum reduce run.acmd -o min.acmd -- \
    sh -c 'rastrum cat --where "name == \"BIND_SHADERS\"" "$1"' sh {}
rastrum cat --fields name min.acmd
rastrum verify min.acmd

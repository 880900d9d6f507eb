# Bytes that are no text are shown by their digits, texts that would control a terminal by number.
cp "$GOLDEN/aerogpu/every_command.acmd" up.acmd
printf '\377\233\001' | dd of=up.acmd bs=1 seek=224 conv=notrunc status=none
rastrum diff "$GOLDEN/aerogpu/every_command.acmd" up.acmd || echo "exit $?"
rastrum diff --json "$GOLDEN/aerogpu/every_command.acmd" up.acmd | grep -o '"bytes": "[0-9a-f]*"'

# A dialect the format has not.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
rastrum info --dialect v3 run.murk | grep dialect
rastrum info --dialect frida run.murk

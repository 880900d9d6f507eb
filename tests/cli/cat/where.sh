# Records by a condition: every kind of value, and the fields of the header.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
show() {
    echo "$1"
    rastrum cat --fields payload_name,coord --where "$1" run.murk || echo "exit $?"
}
show 'payload_name == "Move"'
show 'type == "frame" and tick in 2..4'
show 'coord[0] > 3 or coord[1] < 0'
show 'coord == [1, 2]'
show '-4 in coord'
show 'payload_name ~ "^Set.*Batch$"'
show 'snapshot_hash == 0x2222222222222222 or snapshot_hash == "0x3333333333333333"'
show 'payload == x"0100000000000000"'
show 'expires_after_tick == 18446744073709551615 and not has(coord) and seq > 3'
show 'params[0].value == 0.1 or field_values[1].value == 2.5'
show 'parent == 9'
show 'entity_id == 72623859790382856 and entity_id != 72623859790382857'
show 'entity_id == 72623859790382857'

# A missing value is never equal, different or less: only its presence can be tested.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
show() {
    echo "$1: $(rastrum cat --where "$1" run.murk | wc -l)"
}
show 'true'
show 'has(coord)'
show 'coord is missing'
show 'coord is null'
show 'coord == null'
show 'coord != null'
show 'entity_id == 7'
show 'entity_id != 7'
show 'not entity_id == 7'
show 'entity_id < 7 or entity_id >= 7'
show 'entity_id not in [7]'
show 'not entity_id in [7]'

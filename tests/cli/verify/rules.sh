# Rule ids are stable, dotted, unique and listed.
rastrum verify --rules | grep -c "^murk\."
rastrum verify --rules | awk 'NR > 1 {print $1}' | sort | uniq -d
rastrum verify --rules | awk 'NR > 1 {print $1}' | grep -v -E '^[a-z0-9]+(\.[a-z0-9_-]+)+$' || :

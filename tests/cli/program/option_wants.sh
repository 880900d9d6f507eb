# An option without its argument, and one with an argument it does not take.
rastrum cat --limit && exit 1
rastrum cat -n && exit 1
rastrum cat --merged=yes run && exit 1
rastrum cat --limit=three run && exit 1
rastrum cat --limit -3 run && exit 1
rastrum cat --limit ' -3' run && exit 1
rastrum cat --limit +3 run && exit 1
rastrum cat --limit '' run && exit 1
rastrum verify --rules run && exit 1
rastrum cat --format xml run && exit 1
rastrum cat --color=sometimes run && exit 1
exit 0

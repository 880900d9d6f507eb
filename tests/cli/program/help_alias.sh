# Help knows the aliases.
rastrum help dump | head -n 1
rastrum help doctor | head -n 1

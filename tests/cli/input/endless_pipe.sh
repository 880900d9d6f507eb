yes | rastrum info -

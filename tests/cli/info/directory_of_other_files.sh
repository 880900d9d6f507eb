# A directory of files that are no traces.
mkdir d
echo hello >d/readme
rastrum info d

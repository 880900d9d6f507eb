# A blob that is not there leaves no file.
rastrum blob "$GOLDEN/aerogpu/appendix_a.aerogputrace" 987654 -o x || echo "exit $?"
ls

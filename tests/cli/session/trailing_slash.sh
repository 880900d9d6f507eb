# A directory may be named with a slash.
cd "$GOLDEN/atf"
rastrum info two_threads/ | sed -n "2,3p"
rastrum verify crashed/ | head -n 1

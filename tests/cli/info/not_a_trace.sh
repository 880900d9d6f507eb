# Bytes of no known format.
echo "hello world, this is not a trace" >text
rastrum info text

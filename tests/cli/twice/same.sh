# A program that does the same, as text and as JSON; nothing of it stays.
export TMPDIR=$PWD/place
mkdir place
rastrum twice --vary env,malloc,tz --no-calls -- printf 'x\n'
rastrum twice --vary env --no-calls --json -- printf 'x\n'
ls place

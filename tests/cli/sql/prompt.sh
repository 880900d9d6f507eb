# Statements from standard input, and the commands of the prompt.
cp "$GOLDEN"/murk/all_payloads.murk run.murk
echo 'SELECT 3 AS read;' >more.sql
rastrum sql run.murk <<'END' || echo $?
SELECT count(*)
  FROM frame;
.mode jsonl
SELECT tick FROM frame LIMIT 1;
.read more.sql
.schema frame
.tables
.mode xml
.nonsense
.quit
SELECT 'not reached';
END
echo 'SELECT 1 AS one' | rastrum sql run.murk
printf 'SELECT 2 AS two;\n-- end' >two.sql
rastrum sql -f two.sql run.murk

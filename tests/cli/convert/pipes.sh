# What can be read once only is converted as well: a named pipe, and a descriptor.
trace=$GOLDEN/murk/all_payloads.murk
mkfifo pipe
cat "$trace" >pipe &
rastrum convert pipe -o from_pipe.murk
cat "$trace" | rastrum convert /dev/fd/0 -o from_fd.murk
rastrum convert "$trace" -o from_file.murk
cmp from_pipe.murk from_file.murk && cmp from_fd.murk from_file.murk && echo same

# Records come out while the writer is still at it.
mkfifo pipe answer
for follow in "" --follow; do
    rastrum cat $follow pipe > answer &
    exec 4< answer 3> pipe
    cat $GOLDEN/murk/config_unset.murk >&3
    read -r line <&4
    echo "$line"
    exec 3>&- 4<&-
    wait
done

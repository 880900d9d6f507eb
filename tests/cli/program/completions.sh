# Completions for three shells name every verb; no other shell is known.
for shell in bash zsh fish; do
    rastrum help --completion $shell >file
    for verb in formats info du cat verify; do
        grep -q "$verb" file
    done
done
bash -n -c "$(rastrum help --completion bash)"
rastrum help --completion tcsh

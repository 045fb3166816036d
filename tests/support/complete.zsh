# Prints what the completion of zsh offers for a line, as a person with the tabulator key gets it.
# usage: zsh -f complete.zsh FOLDER LINE    FOLDER has the function _lambda
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D; stty columns 500"
zpty -w shell 'zstyle ":completion:*" verbose no; LISTMAX=1000; bindkey "^I" list-choices; PROMPT="at the re""ady>"'
# The prompt shows that the line editor reads.
zpty -r -m shell line '*at the ready>*'
zpty -w -n shell "$2"$'\t'
zpty -w -n shell $'\C-u'"echo don""e"$'\n'
while zpty -r shell line; do
  print -r -- $line
  [[ $line == *done* ]] && break
done
zpty -d shell

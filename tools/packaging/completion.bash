# Completion of `cartan` in bash: commands, the options of each, files. All are read from the help texts.
_cartan() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words
  if ((COMP_CWORD == 1)); then
    words="$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p') --help --version"
  elif [[ $word == -* ]]; then
    words=$("${COMP_WORDS[0]}" "$command" --help 2>/dev/null | grep -oE '^ +(-[a-z], *)?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+')
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _cartan cartan

# complete_line LINE: prints the words that bash offers at the end of a line, with blanks between them. It hands the line over as bash
# does, which takes it apart at blanks, and at = and : where COMP_WORDBREAKS has them.
source <(fairway completion bash)

complete_line() {
  local apart=$1
  [[ $COMP_WORDBREAKS != *=* ]] || apart=${apart//=/ = }
  [[ $COMP_WORDBREAKS != *:* ]] || apart=${apart//:/ : }
  COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=() COMPREPLY=()
  read -ra COMP_WORDS <<<"$apart"
  [[ $1 != *' ' ]] || COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _fairway "${COMP_WORDS[0]}"
  printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
}

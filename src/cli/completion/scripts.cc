// SPDX-License-Identifier: Apache-2.0

#include "cli/completion/scripts.h"

#include <array>

namespace fairway::cli {
namespace {

constexpr std::string_view bash_text =
    R"SH(# Completion of fairway's commands and flags for bash. Made by `fairway completion bash`; load it with
#   source <(fairway completion bash)
_fairway() {
  local line=${COMP_LINE:0:COMP_POINT} words=() lines=() blank part i
  # bash takes words apart at = and :, too. No blank of the line stands between such parts.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blank=${line%%[! ]*}
    line=${line#"$blank"}
    part=${COMP_WORDS[i]}
    ((i < COMP_CWORD)) || part=$line
    line=${line#"$part"}
    if ((i > 0)) && [[ -z $blank ]]; then
      words[${#words[@]} - 1]+=$part
    else
      words+=("$part")
    fi
  done
  local word=${words[${#words[@]} - 1]}
  # bash replaces this part of the word, and keeps what stands before it.
  local kept=${word%"$part"}
  [[ $part != [=:] ]] || kept=$word
  # An alias is no program.
  local program=${words[0]/#\~/$HOME}
  type -P -- "$program" >/dev/null || program=fairway
  # Without the marks by which bash quotes.
  mapfile -t lines < <("$program" completion candidates -- "${words[@]//[\"\'\\]/}" 2>/dev/null)
  ((${#lines[@]} > 0)) || return
  local directive=${lines[${#lines[@]} - 1]}
  unset "lines[${#lines[@]} - 1]"
  lines=("${lines[@]%%$'\t'*}")
  if [[ $directive == :0 || $directive == :16 ]]; then
    local value=$word flag= kind=-f path
    [[ $word != --*=* ]] || value=${word#*=} flag=${word%%=*}=
    [[ $directive == :0 ]] || kind=-d
    # With a slash behind a folder, where bash is asking and no test.
    compopt -o filenames 2>/dev/null
    while IFS= read -r path; do
      lines+=("$flag$path")
    done < <(compgen "$kind" -- "$value")
  fi
  COMPREPLY=("${lines[@]#"$kept"}")
}
complete -F _fairway fairway kubectl-fairway
)SH";

constexpr std::string_view zsh_text = R"SH(#compdef fairway kubectl-fairway
# Completion of fairway's commands and flags for zsh. Made by `fairway completion zsh`; load it with
#   source <(fairway completion zsh)
# or write it to a file _fairway in a folder of $fpath.
_fairway() {
  local program=${${(Q)words[1]}/#\~/$HOME} line word directive
  local -a lines candidates
  integer result=1
  # An alias is no program.
  whence -p -- $program >/dev/null || program=fairway
  lines=("${(@f)$($program completion candidates -- $program "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  directive=$lines[-1]
  for line in "${(@)lines[1,-2]}"; do
    word=${line%%$'\t'*}
    [[ $line == *$'\t'* ]] && line=${word//:/\\:}:${line#*$'\t'} || line=${word//:/\\:}
    candidates+=("$line")
  done
  (( $#candidates )) && _describe -t candidates candidate candidates && result=0
  if [[ $directive == :0 || $directive == :16 ]]; then
    [[ $PREFIX != --*=* ]] || compset -P 1 '*='
    if [[ $directive == :0 ]]; then
      _files && result=0
    else
      _files -/ && result=0
    fi
  fi
  return result
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _fairway "$@"
else
  compdef _fairway fairway kubectl-fairway
fi
)SH";

constexpr std::string_view fish_text =
    R"SH(# Completion of fairway's commands and flags for fish. Made by `fairway completion fish`; load it with
#   fairway completion fish | source
# or write it to ~/.config/fish/completions/fairway.fish.
function __fairway_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    # An alias is no program.
    set -l program (string replace -r -- '^~' $HOME $words[1])
    command -q -- $program; or set program fairway
    # In quotes, an empty word is a word.
    set -l lines (command $program completion candidates -- $words "$word" 2>/dev/null)
    set -q lines[1]; or return
    set -l flag (string match -r '^--[^=]*=' -- "$word")
    set -l value (string replace -- "$flag" '' "$word")
    switch $lines[-1]
        case :0
            printf '%s\n' "$flag"(__fish_complete_path "$value")
        case :16
            printf '%s\n' "$flag"(__fish_complete_directories "$value" '')
    end
    set -e lines[-1]
    set -q lines[1]; and printf '%s\n' $lines
end
complete -c fairway -f -a '(__fairway_complete)'
complete -c kubectl-fairway -f -a '(__fairway_complete)'
)SH";

constexpr std::string_view kubectl_text = R"SH(#!/bin/sh
# Completion of `kubectl fairway ...`, in each shell that completes kubectl. Made by `fairway completion kubectl`. kubectl runs this
# file as kubectl_complete-fairway from the PATH.
exec kubectl-fairway completion candidates -- kubectl-fairway "$@"
)SH";

constexpr std::array scripts{
    CompletionScript{"bash", "Print the script for bash", "source <(fairway completion bash)", bash_text},
    CompletionScript{"zsh", "Print the script for zsh", "source <(fairway completion zsh)", zsh_text},
    CompletionScript{"fish", "Print the script for fish", "fairway completion fish | source", fish_text},
    CompletionScript{"kubectl", "Print the program that kubectl asks for completion of `kubectl fairway`",
                     "fairway completion kubectl | "
                     "install -m 755 /dev/stdin /usr/local/bin/kubectl_complete-fairway",
                     kubectl_text},
};

}  // namespace

std::span<const CompletionScript> completion_scripts() {
  return scripts;
}

}  // namespace fairway::cli

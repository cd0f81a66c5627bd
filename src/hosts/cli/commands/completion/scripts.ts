/** What each shell has to be told: whom to ask for words. They name no command, so that they fit every version. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

const BASH = `# source <(triad completion bash)
_triad() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done \\
    < <(triad complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _triad triad
`;

const ZSH = `#compdef triad
# source <(triad completion zsh)
_triad() {
  local -a found
  local line
  for line in "\${(@f)$(triad complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then _describe triad found; else _files; fi
}
compdef _triad triad
`;

const FISH = `# triad completion fish | source
function __triad_complete
  set -l words (commandline -opc) (commandline -ct)
  triad complete -- $words[2..-1] 2>/dev/null
end
complete -c triad -a '(__triad_complete)'
`;

export function completionScript(shell: (typeof SHELLS)[number]): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}

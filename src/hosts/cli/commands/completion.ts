/** `triad completion`: prints the script for a shell. The script calls `triad complete`, so it fits every version. */
import { Argument, type Command } from 'commander';
import type { Io } from '../terminal/io.ts';

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

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;

export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print the completion script of a shell; setup: docs/start/install.md')
    .addArgument(new Argument('<shell>', 'shell that runs the script').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => io.screen.data(SCRIPTS[shell]));
}

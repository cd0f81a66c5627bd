/** Names of variables: what a shell or a program does with what one is set to. */
import { untold } from './words.ts';

/** A name that no program and no shell reads from its environment. */
export function isPlainName(name: string): boolean {
  return /^[a-z][a-z0-9]{0,15}$/.test(name);
}

/** Variables that the shell runs, calculates, or finds programs with. */
const READ_BY_SHELL =
  /^(BASH.*|PS\d|PROMPT_COMMAND|ENV|SHELLOPTS|S?RANDOM|SECONDS|LINENO|OPTIND|HIST.*|EPOCH.*|COMP_.*|DIRSTACK|GROUPS|FUNCNAME|EXECIGNORE|MAILPATH|_)$/;

export function checkVariable(name: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) untold('a name is none');
  if (READ_BY_SHELL.test(name)) untold('the shell runs or calculates what it is set to');
}

/** The files in which a project tells agents how to work in it, known by their paths relative to a folder. Pure. */

/** In the order in which those of one folder are told. */
export const INSTRUCTION_FILES = ['AGENTS.md', 'CLAUDE.md'] as const;

/** Whether it is such a file of the folder itself, or of one above it. */
export function isInstructionPath(path: string): boolean {
  const name = path.replace(/^(\.\.\/)*/, '');
  return INSTRUCTION_FILES.some((one) => one === name);
}

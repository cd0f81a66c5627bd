/** What its project told a run, each file by its path, as it was then. Pure. */
import type { Envelope } from '#contract/agent.ts';
import { code, fence, quote } from './markdown-parts.ts';

type Told = Pick<Envelope, 'instructions'>;

/** Items of a list, each with its text as a quote. */
export function instructionItems({ instructions = [] }: Told): string[] {
  return instructions.flatMap(({ path, text, cut }) => ['', `- ${code(path)}${begun(cut)}`, '', quote(text)]);
}

/** Blocks, each with its text between fences. */
export function instructionBlocks({ instructions = [] }: Told): string[] {
  return instructions.flatMap(({ path, text, cut }) => [
    '',
    `**Told by the project**: ${code(path)}${begun(cut)}`,
    '',
    fence(text),
  ]);
}

const begun = (cut: true | undefined): string => (cut ? ', only its beginning' : '');

/** What the kills of the campaign meet: a lead with two sub-agents and two files to write, which streams slowly. */
import type { Seen } from '../support/fake-model/request.ts';
import { type Block, type Rule, Script, text, toolUse } from '../support/fake-model/script.ts';

const LEAD = /\[kill (\d+)\]/;
const CHILD = /\[kill (\d+) child (\d)\]/;

export const markOf = (seed: number): string => `[kill ${seed}]`;

/** Delay of the first token, in milliseconds. No real model is faster. */
const FIRST_TOKEN_MS = 50;
const CHARS_PER_TOKEN = 4;

export class CampaignModel extends Script {
  readonly #told = new Set<number>();

  override take(seen: Seen): Rule | null {
    const lead = seen.tools.includes('spawn_agent') ? LEAD.exec(seen.prompt) : null;
    const child = lead ? null : CHILD.exec(seen.prompt);
    const [, seed, which] = lead ?? child ?? [];
    if (seed === undefined) return null;
    const key = `${seed}/${which ?? 'lead'}/${seen.turn}`;
    const blocks = lead ? leadBlocks(seed, seen.turn) : childBlocks(seen.turn);
    const usage = { input: this.#inputOf(seen), output: 20 };
    const options = { usage, firstTokenMs: FIRST_TOKEN_MS, deltaMs: 6 };
    return { name: key, match: null, blocks, options, used: 1 };
  }

  /** Each answer reads another number of tokens, by which it is known again in the accounts. */
  #inputOf({ body: { system, tools, messages } }: Seen): number {
    let input = Math.ceil(JSON.stringify([system, tools, messages]).length / CHARS_PER_TOKEN);
    while (this.#told.has(input)) input += 1;
    this.#told.add(input);
    return input;
  }
}

function leadBlocks(seed: string, turn: number): Block[] {
  const write = toolUse('write_file', { path: `out/${seed}-${turn}.txt`, content: `${seed}\n` });
  if (turn === 1) return [text('I look first.', { deltas: 4 }), spawn(seed, 1), spawn(seed, 2), write];
  if (turn === 2) return [text('Now I write.', { deltas: 4 }), write];
  return [text('Everything is done, and this is the answer.', { deltas: 12 })];
}

function spawn(seed: string, child: number): Block {
  const prompt = `[kill ${seed} child ${child}] Look at the workspace.`;
  return toolUse('spawn_agent', { operation: 'spawn', name: `helper-${child}`, reason: 'Look at one part', prompt });
}

function childBlocks(turn: number): Block[] {
  if (turn === 1) return [toolUse('read_file', { path: 'README.md' })];
  return [text('# Report\n\n## Summary\n\nIt is a workspace.\n', { deltas: 10 })];
}

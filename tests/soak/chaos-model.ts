/** A scripted model that plays the plans, and fails at random: every request has its own seeded chance. */
import type { Seen } from '../support/fake-model/request.ts';
import { type Block, type ReplyOptions, type Rule, Script, text, toolUse } from '../support/fake-model/script.ts';
import type { Plan } from './plan.ts';
import { Random } from './random.ts';

const LEAD = /\[lead (\d+)\/(\d+)\]/g;
const CHILD = /\[child (\d+)\/(\d+)\/(\d+)\]/;

export class ChaosModel extends Script {
  readonly #plans = new Map<number, Plan>();
  /** How often each request was made. */
  readonly #tries = new Map<string, number>();
  #answers = 0;

  add(plan: Plan): void {
    this.#plans.set(plan.seed, plan);
  }

  override take(seen: Seen): Rule | null {
    const child = CHILD.exec(seen.prompt);
    const lead = seen.tools.includes('spawn_agent') ? lastMark(seen) : null;
    const [seed, message] = (lead ?? child?.slice(1, 3) ?? []).map(Number);
    const plan = this.#plans.get(seed ?? -1)?.messages[message ?? -1];
    if (!plan || seed === undefined) return null;
    const step = lead ? stepsSince(seen, lead) : seen.turn - 1;
    const key = `${seed}/${message}/${lead ? 'lead' : child?.[3]}/${step}`;
    const tries = (this.#tries.get(key) ?? 0) + 1;
    this.#tries.set(key, tries);
    const random = new Random('reply', key, tries);
    const blocks = lead ? leadBlocks(plan.rounds[step]) : childBlocks(random, step, key);
    return { name: key, match: null, blocks, options: this.#options(random, blocks, tries), used: 1 };
  }

  /** Each answer reads another number of tokens, by which it is known again in the accounts. */
  #options(random: Random, blocks: Block[], tries: number): ReplyOptions {
    this.#answers += 1;
    const usage = { input: 10_000 + this.#answers, output: random.between(1, 200) };
    const pace = random.chance(0.3) ? { firstTokenMs: random.between(5, 120), deltaMs: random.between(1, 8) } : {};
    return { usage, ...pace, ...(tries <= 3 && random.chance(0.22) ? faultOf(random, blocks) : {}) };
  }
}

function faultOf(random: Random, blocks: Block[]): ReplyOptions {
  const after = random.between(1, 4 + blocks.length * 3);
  const status = (code: number, type: string): ReplyOptions => ({
    status: code,
    error: { type, message: 'as planned' },
    headers: { 'retry-after': '0' },
  });
  return random.pick<() => ReplyOptions>([
    () => status(429, 'rate_limit_error'),
    () => status(529, 'overloaded_error'),
    () => status(500, 'api_error'),
    () => ({ cutAfter: after }),
    () => ({ cutAfter: 0 }),
    () => ({ endAfter: after }),
    () => ({ errorEvent: { after, type: 'overloaded_error', message: 'as planned' } }),
    () => ({ garbage: { after, text: 'event: nonsense\ndata: {"type": "nonsense", "at": [\n\n' } }),
    () => ({
      garbage: { after, text: 'event: content_block_delta\ndata: {"type":"content_block_delta"}\n\n' },
    }),
    () => ({ firstTokenMs: 700 }),
    () => ({ hangAfter: after }),
    () => ({ stopReason: 'max_tokens' }),
  ])();
}

function leadBlocks(calls: Plan['messages'][number]['rounds'][number] | undefined): Block[] {
  const words = text('Here is what I found, in a few words that stream.', { deltas: 6 });
  return calls ? [text('I look.'), ...calls.map(({ name, input }) => toolUse(name, input, { deltas: 3 }))] : [words];
}

function childBlocks(random: Random, step: number, key: string): Block[] {
  if (step > 0 || random.chance(0.3)) return [text(`# Report of ${key}\n\n## Summary\nIt is a file.\n`, { deltas: 8 })];
  const call = random.pick<() => Block>([
    () => toolUse('read_file', { path: 'README.md' }),
    () => toolUse('list_directory', {}),
    () => toolUse('spawn_agent', { operation: 'spawn', name: 'deeper', prompt: 'no' }),
    () => toolUse('read_file', {}, { raw: '{"path": "REA' }),
  ]);
  return [call()];
}

function wordsOf(content: Seen['body']['messages'][number]['content']): string {
  return typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('\n');
}

/** The newest message of the person: reports that come by themselves have no such mark. */
function lastMark(seen: Seen): string[] | null {
  const marks = [
    ...seen.body.messages
      .map(({ content }) => wordsOf(content))
      .join('\n')
      .matchAll(LEAD),
  ];
  return marks.at(-1)?.slice(1) ?? null;
}

function stepsSince({ body }: Seen, mark: readonly string[]): number {
  const from = body.messages.findLastIndex(({ content }) => wordsOf(content).includes(`[lead ${mark.join('/')}]`));
  return body.messages.slice(from).filter(({ role }) => role === 'assistant').length;
}

/** A run uses the servers that were approved for it, as they were approved, or none. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import type { Output } from '#contract/rpc.ts';
import { COMPILED } from '../../support/compiled.ts';
import { type Harness, startEngine, yes } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { inSoak } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';
import { LIAR } from './support.ts';

const entry = (tools: string) => ({ command: process.execPath, args: [LIAR, `tools=${tools}`], env: COMPILED });
const json = (tools: string): string => JSON.stringify({ mcpServers: { liar: entry(tools) } });

/** The lead calls a tool; before its second call `meanwhile` is done. What both calls were answered. */
async function between(engine: Harness, meanwhile: () => Promise<unknown>): Promise<string[]> {
  const { workflowId } = await engine.send('Work');
  await engine.event('approval-request', ({ approval }) => approval.title.startsWith('Go on'));
  await meanwhile();
  const [question] = engine.of('approval-request').filter(({ approval }) => approval.title.startsWith('Go on'));
  const answer: Answer = { kind: 'reply', replies: [{ chosen: [], words: 'Yes' }] };
  await engine.runtime.request('approval.decide', { approvalId: question!.approval.id, answer });
  await engine.ended(workflowId);
  return engine
    .of('tool-end')
    .flatMap(({ entry: end }) => (end.kind === 'tool' && end.name === 'mcp__liar__work' ? [end.output] : []));
}

const script = (): Script =>
  new Script()
    .step([toolUse('mcp__liar__work', {})])
    .step([toolUse('ask_question', { questions: [{ question: 'Go on?', kind: 'text' }] })])
    .step([toolUse('mcp__liar__work', {})])
    .step([text('Done.')]);

const person: NonNullable<Parameters<typeof startEngine>[1]>['person'] = (approval, item) =>
  approval.request.subject.kind === 'questions' ? null : yes(approval, item);

async function trustAll({ runtime, folder }: Harness): Promise<Output<'trust.look'>> {
  const { files } = await runtime.request('trust.look', {});
  return runtime.request('trust.set', { folder, files: files.map(({ path, hash }) => ({ path, hash: hash! })) });
}

const CHANGES: readonly (readonly [what: string, change: (engine: Harness) => Promise<unknown>, told: RegExp])[] = [
  [
    'what it is started with',
    (engine: Harness) => engine.runtime.request('mcp.add', { name: 'liar', entry: entry('work,more'), replace: true }),
    /was changed since this agent was approved/,
  ],
  [
    'that it is switched on',
    (engine: Harness) => engine.runtime.request('mcp.enable', { name: 'liar', enabled: false }),
    /is switched off/,
  ],
  [
    'that it is there',
    (engine: Harness) => engine.runtime.request('mcp.remove', { name: 'liar' }),
    /There is no MCP server "liar"/,
  ],
];
test.for(inSoak ? CHANGES : CHANGES.slice(0, 2))(
  'where %s changes during a run, the run calls it no more',
  async ([, change, told]) => {
    const configFolder = await folderWith({});
    const engine = await startEngine(script(), { configFolder, person });
    await engine.runtime.request('mcp.add', { name: 'liar', entry: entry('work') });
    const [first, second] = await between(engine, () => change(engine));
    expect(first).toBe('done');
    expect(second).toMatch(told);
  },
);

test('where a project’s file changes during a run, or is trusted no more, the run calls its server no more', async () => {
  const engine = await startEngine(script(), { person, files: { '.mcp.json': json('work') } });
  await trustAll(engine);
  const file = join(engine.folder, '.mcp.json');
  const [first, second] = await between(engine, () => writeFile(file, json('work,more')));
  expect([first, second]).toEqual(['done', expect.stringContaining('nobody has trusted as it is') as string]);
});

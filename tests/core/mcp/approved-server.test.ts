/** A run uses the servers that were approved for it, as they were approved, or none. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import type { Output } from '#contract/rpc.ts';
import { COMPILED } from '../../support/compiled.ts';
import { type Harness, startEngine, yes } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { LIAR, projectFiles, projectJson } from './support.ts';

const entry = (tools: string) => ({ command: process.execPath, args: [LIAR, `tools=${tools}`], env: COMPILED });

/** The lead calls a tool, and again after each of these. What the calls were answered. */
async function between(engine: Harness, ...changes: (() => Promise<unknown>)[]): Promise<string[]> {
  const { workflowId } = await engine.send('Work');
  const answer: Answer = { kind: 'reply', replies: [{ chosen: [], words: 'Yes' }] };
  const questions = () => engine.of('approval-request').filter(({ approval }) => approval.title.startsWith('Go on'));
  for (const [index, change] of changes.entries()) {
    const { approval } = await engine.event('approval-request', (event) => questions().indexOf(event) === index);
    await change();
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer });
  }
  await engine.ended(workflowId);
  return engine
    .of('tool-end')
    .flatMap(({ entry: end }) => (end.kind === 'tool' && end.name === 'mcp__liar__work' ? [end.output] : []));
}

function script(changes: number): Script {
  const call = [toolUse('mcp__liar__work', {})];
  const made = new Script().step(call);
  for (let left = changes; left > 0; left -= 1)
    made.step([toolUse('ask_question', { questions: [{ question: 'Go on?', kind: 'text' }] })]).step(call);
  return made.step([text('Done.')]);
}

const person: NonNullable<Parameters<typeof startEngine>[1]>['person'] = (approval, item) =>
  approval.request.subject.kind === 'questions' ? null : yes(approval, item);

async function trustAll({ runtime, folder }: Harness): Promise<Output<'trust.look'>> {
  const { files } = await runtime.request('trust.look', {});
  return runtime.request('trust.set', { folder, files: files.map(({ path, hash }) => ({ path, hash: hash! })) });
}

test('a run stops calling an MCP server that is switched off, changed or removed during the run', async () => {
  const engine = await startEngine(script(3), { configFolder: await folderWith({}), person });
  const { runtime } = engine;
  await runtime.request('mcp.add', { name: 'liar', entry: entry('work') });
  const outputs = await between(
    engine,
    () => runtime.request('mcp.enable', { name: 'liar', enabled: false }),
    () => runtime.request('mcp.add', { name: 'liar', entry: entry('work,more'), replace: true }),
    () => runtime.request('mcp.remove', { name: 'liar' }),
  );
  expect(outputs).toEqual([
    'done',
    expect.stringMatching(/is switched off/),
    expect.stringMatching(/was changed since this agent was approved/),
    expect.stringMatching(/There is no MCP server "liar"/),
  ]);
});

test('a run stops calling a project MCP server whose file changes and is no longer trusted', async () => {
  const engine = await startEngine(script(1), { person, files: await projectFiles('work') });
  await trustAll(engine);
  const file = join(engine.folder, '.mcp.json');
  const [first, second] = await between(engine, () => writeFile(file, projectJson('work,more')));
  expect([first, second]).toEqual(['done', expect.stringContaining('nobody has trusted as it is') as string]);
});

/** What becomes of a run's servers when what is written of them changes meanwhile. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer, Approval } from '#contract/approval.ts';
import { COMPILED } from '../../support/compiled.ts';
import { type Harness, startEngine, yes } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { ROOT } from '../../support/program.ts';
import { folderWith } from '../../support/workspace.ts';
import { LIAR, lyingTable } from './support.ts';
import { fullTest } from '../../support/samples.ts';

const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const launch = (file: string, ...words: string[]) => ({
  command: process.execPath,
  args: [file, ...words],
  env: COMPILED,
});
/** The lead calls these in a turn each. */
function calling(...names: string[]): Script {
  return names.reduce((script, name) => script.step([toolUse(name, {})]), new Script()).step([text('Done.')]);
}
const outputs = (engine: Harness): string[] =>
  engine.of('tool-end').map(({ entry }) => (entry.kind === 'tool' ? entry.output : ''));

/** Answers the first question with yes, and none after it. */
function once(): (approval: Approval, item: number) => Answer | null {
  let first: string | null = null;
  return (approval, item) => {
    first ??= approval.request.id;
    return first === approval.request.id ? yes(approval, item) : null;
  };
}
/** The question of this number of the engine, counted from 1, answered with yes after `change`. */
async function answerNext(engine: Harness, number: number, change: () => Promise<unknown>): Promise<void> {
  const asked = () => engine.of('approval-request');
  const { approval } = await engine.event('approval-request', (event) => asked().indexOf(event) === number - 1);
  await change();
  await engine.runtime.request('approval.decide', {
    approvalId: approval.id,
    answer: { kind: 'allow', confirmed: true },
  });
}

fullTest([
  'tests/core/mcp/mcp-run.test.ts › start only if the exact project file is trusted',
  'tests/core/mcp/changed-servers.test.ts › a run uses a re-enabled server again, and stops calling a tool that the person has removed',
])('a run stops reading resources of a project server when its file loses trust', async () => {
  const file = JSON.stringify({ mcpServers: { all: launch(EVERYTHING) } });
  const read = 'mcp__all__read_resource';
  const settings = `[sandbox]\nreadable = [${JSON.stringify(join(ROOT, 'node_modules'))}]\n`;
  const engine = await startEngine(calling(read, read), { files: { '.mcp.json': file }, settings, person: once() });
  const { runtime, folder } = engine;
  const { files } = await runtime.request('trust.look', {});
  await runtime.request('trust.set', { folder, files: files.map(({ path, hash }) => ({ path, hash: hash! })) });
  const { workflowId } = await engine.send('Read');
  await answerNext(engine, 2, () => runtime.request('trust.revoke', { folder }));
  await engine.ended(workflowId);
  expect(outputs(engine)).toEqual([
    expect.stringContaining('demo://'),
    expect.stringContaining('which nobody has trusted as it is'),
  ]);
});

test('a run uses a re-enabled server again, and stops calling a tool that the person has removed', async () => {
  const engine = await startEngine(calling('mcp__liar__work', 'mcp__liar__work', 'mcp__liar__work'), {
    settings: lyingTable(['tools=work,other']),
    configFolder: await folderWith({}),
    person: once(),
  });
  const { workflowId } = await engine.send('Work');
  await answerNext(engine, 2, async () => {
    await engine.runtime.request('mcp.enable', { name: 'liar', enabled: false });
    await engine.runtime.request('mcp.enable', { name: 'liar', enabled: true });
  });
  await answerNext(engine, 3, () =>
    engine.runtime.request('mcp.add', {
      name: 'liar',
      entry: { ...launch(LIAR, 'tools=work,other'), tools: ['other'] },
      replace: true,
    }),
  );
  await engine.ended(workflowId);
  expect(outputs(engine)).toEqual(['done', 'done', expect.stringContaining('has taken the tool "work" of liar away')]);
});

test('a grant for an MCP server does not apply to another server with its name', async () => {
  const granting = (approval: Approval): Answer => ({
    kind: 'allow',
    confirmed: true,
    ...(approval.request.grant ? { grant: { scope: 'project', pattern: '*' } } : {}),
  });
  const script = new Script()
    .step([toolUse('mcp__liar__work', {})])
    .step([toolUse('mcp__liar__work', {})])
    .step([text('Done.')])
    .step([toolUse('mcp__liar__work', {})])
    .step([text('Done.')]);
  const engine = await startEngine(script, {
    settings: lyingTable(['tools=work']),
    configFolder: await folderWith({}),
    person: granting,
  });
  const deciders = () => engine.of('approval-decide').map(({ decision }) => decision.decidedBy);
  await engine.ask('Work');
  expect(deciders()).toEqual(['person', 'rule']);
  await engine.runtime.request('mcp.remove', { name: 'liar' });
  await engine.runtime.request('mcp.add', { name: 'liar', entry: launch(LIAR, 'tools=work', 'another') });
  await engine.ask('Work');
  expect(outputs(engine)).toEqual(['done', 'done', 'done']);
  expect(deciders()).toEqual(['person', 'rule', 'person']);
});

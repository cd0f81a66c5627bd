/** A grant given at a real terminal: it answers the next call, and the trace and the list of grants tell of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { fullTest } from '../../../support/samples.ts';
import { inProcess } from '../../support/engine.ts';
import { hasTerminals, machine } from '../../support/process.ts';

// `asker` and `permissions` hold it without a process in every run of the tests.
fullTest(
  [
    'tests/hosts/cli/follow/asker.test.ts › %s grants the call in its scope, with the exact pattern',
    'tests/core/host/runtime/methods/explain-where.test.ts › a conversation grant applies in the conversation, separately for each agent',
  ],
  hasTerminals,
)('c allows the calls that match in the conversation, and n rejects another call', async () => {
  const write = (path: string, content: string) => toolUse('write_file', { path, content });
  const script = new Script();
  script.on({ step: 1 }).reply([write('one.md', '1')]);
  script.on({ step: 2 }).reply([write('one.md', '2')]);
  script.on({ step: 3 }).reply([write('two.md', '1')]);
  script.on({}).reply([text('Both are written.')]);
  const home = await machine(script);
  const { onTerminal } = home;
  const { child, out, exit } = onTerminal(['run', 'Write them']);
  await expect.poll(out).toContain('Allow? [y]es, [n]o, [w]/[c]/[p], [?] ask first, then Enter: ');
  expect(out()).toContain('lead may use write_file on one.md, in this [w]orkflow, in this [c]onversation');
  await sleep(100);
  child.stdin?.write('c\r');
  await expect.poll(() => out().split('Allow? ').length).toBe(3);
  expect(out(), 'the second write of the same file was not asked about').toContain('on two.md');
  await sleep(100);
  child.stdin?.write('n\r');
  await expect.poll(out).toContain('Why not?');
  child.stdin?.write('\r');
  expect(await exit).toBe(0);

  const triad = inProcess(home, 'disk');
  const listed = JSON.parse((await triad(['permissions', 'list', '--all', '--json'])).out) as {
    grants: { id: string; conversationId: string; workflowId: string }[];
  };
  expect(listed.grants).toMatchObject([{ pattern: 'one.md', scope: 'conversation', calls: 1 }]);
  const [{ id, conversationId, workflowId }] = listed.grants as [(typeof listed.grants)[0]];
  const words = ['explain', 'lead', 'write_file', 'path=one.md', 'content=x'];
  const inside = await triad(['permissions', ...words, '--conversation', conversationId]);
  expect(inside.out).toMatch(/^allow: You allowed lead to use write_file on one\.md in this conversation/);
  const same = await triad(['permissions', ...words, '--workflow', workflowId]);
  expect(same.out).toBe(inside.out);

  await triad(['permissions', 'revoke', id]);
  const trace = (await triad(['sessions', 'trace', conversationId])).out;
  expect(trace).toContain(`approved by grant:${id}`);
  expect(trace).toMatch(new RegExp(`\\+ grant:${id} .* used once · revoked `));
});

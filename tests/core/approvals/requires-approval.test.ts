/** What an agent's file lists in `requires_approval` is put to the person before it is done, over every rule and mode that allows it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { delegateTo, LEAD } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const HELPER =
  '---\nname: helper\ndescription: Helps\nrequires_approval: [FilesystemWrite, read_file, NetworkAccess]\n---\nHelp.\n';
/** Allows all that is asked about. */
const ALLOW =
  '[permissions]\nmode = "auto"\n[[permissions.rules]]\neffect = "allow"\npermission = "FilesystemWrite"\n[[permissions.rules]]\neffect = "allow"\ntool = "read_file"\n';

test('only listed tools and permissions require approval, and each kind of answer reaches the agent', async () => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('read_file', { path: 'a.md' }), delegateTo('helper', 'Read and write.')])
    .on(LEAD)
    .reply([text('Done.')])
    .on({ step: 1 })
    .reply([toolUse('grep', { pattern: 'one' }), toolUse('read_file', { path: 'a.md' })])
    .on({ step: 2 })
    .reply([toolUse('write_file', { path: 'b.md', content: 'Mine.\n' })])
    .on({ step: 3 })
    .reply([toolUse('write_file', { path: 'c.md', content: 'Both.\n' })])
    .on({})
    .reply([text('# Report\n\nDone.')]);
  const engine = await startEngine(script, {
    settings: ALLOW,
    files: { '.triad/agents/helper.md': HELPER, 'a.md': 'one\n' },
    person: ({ request: { subject } }) => {
      if (subject.kind !== 'tool') return { kind: 'allow' };
      if (subject.tool === 'read_file') return { kind: 'reject', reason: 'Not this one' };
      const { path } = subject.input as { path: string };
      return path === 'b.md' ? { kind: 'edit', value: { path, content: 'Yours.\n' } } : { kind: 'allow' };
    },
  });
  const { folder, runtime } = engine;
  const { files } = await runtime.request('trust.look', { folder });
  const seen = files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  await runtime.request('trust.set', { folder, files: seen });
  expect((await engine.ask('Go')).outcome).toBe('completed');

  const asked = engine.of('approval-request').map(({ approval }) => approval);
  const [spawn, ...own] = asked;
  expect(spawn?.subject).toMatchObject({
    items: [
      {
        envelope: { requiresApproval: ['FilesystemWrite', 'NetworkAccess', 'read_file'] },
        // Told with the question of its start.
        ownActions: {
          byMode: {
            auto: expect.stringMatching(
              /wants you to be asked about FilesystemWrite, NetworkAccess, read_file/,
            ) as string,
          },
        },
      },
    ],
  });
  expect(own.map(({ agent, subject }) => [agent, subject.kind === 'tool' ? subject.tool : subject.kind])).toEqual([
    ['helper', 'read_file'],
    ['helper', 'write_file'],
    ['helper', 'write_file'],
  ]);
  expect(own[1], 'with what it would change, and how grave that is').toMatchObject({
    subject: { input: { path: 'b.md', content: 'Mine.\n' }, preview: { path: 'b.md', added: 1, created: true } },
    risk: 'low',
    reversible: true,
    chain: ['user', 'lead', 'helper'],
  });

  const events = engine.durable();
  for (const { id, toolCallId } of own) {
    const decided = events.findIndex((event) => event.type === 'approval-decide' && event.approvalId === id);
    const started = events.findIndex((event) => event.type === 'tool-start' && event.toolCallId === toolCallId);
    expect(decided).toBeGreaterThan(0);
    expect(started === -1 || started > decided, 'nothing starts before its answer').toBe(true);
  }
  expect(await readFile(join(folder, 'b.md'), 'utf8')).toBe('Yours.\n');
  expect(await readFile(join(folder, 'c.md'), 'utf8')).toBe('Both.\n');
  // On the next request of the agent, each.
  const told = engine.model.requests.filter(({ seen: { prompt } }) => prompt === 'Read and write.');
  const results = told.map(({ seen: { results: all } }) => all.map((result) => result.text));
  expect(results[1]).toEqual([expect.stringContaining('a.md:1:one'), expect.stringMatching(/Rejected.*Not this one/)]);
  expect(results[2]?.at(-1)).toMatch(/The person changed this call before allowing it[\s\S]*Mine[\s\S]*Yours/);
  expect(results[3]?.at(-1)).not.toContain('The person changed');
});

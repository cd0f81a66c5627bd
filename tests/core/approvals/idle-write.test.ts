/** A write of what stands there already asks nobody, does nothing and leaves nothing to undo; what a rule says of it still holds. */
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { yes } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();
const CONTENT = '# Notes\n';
const RULE = (effect: string) => `[[permissions.rules]]\neffect = "${effect}"\ntool = "write_file"\n`;
const OLD = new Date('2020-01-01T00:00:00Z');

async function written(rules = '') {
  const script = new Script()
    .on({ step: 1 })
    .reply([toolUse('write_file', { path: 'notes.md', content: CONTENT })])
    .on({})
    .reply([text('Done.')]);
  const engine = await start(script, {
    rules,
    files: { 'notes.md': CONTENT },
    person: yes,
  });
  const file = join(engine.folder, 'notes.md');
  await utimes(file, OLD, OLD);
  expect((await engine.ask('Go')).outcome).toBe('completed');
  const result = engine.of('tool-end')[0]?.entry;
  return { engine, file, result, asked: engine.of('approval-request'), modified: (await stat(file)).mtime };
}

test('a write of identical content needs no approval and does not touch the file', async () => {
  const { engine, result, asked, modified } = await written();
  expect(asked).toEqual([]);
  expect(result).toMatchObject({
    status: 'completed',
    output: 'notes.md has exactly this content already: nothing is written',
  });
  expect(result?.metadata).not.toHaveProperty('undoable');
  expect(modified).toEqual(OLD);
  expect(engine.of('tool-start')).toHaveLength(1);
});

test('a rule that asks requires approval for a write of identical content, which then does not touch the file', async () => {
  const { asked, result, modified } = await written(RULE('ask'));
  expect(asked.map(({ approval }) => approval)).toMatchObject([
    { risk: 'low', description: expect.stringMatching(/^notes\.md has exactly this content already/) as string },
  ]);
  expect(asked[0]?.approval).not.toHaveProperty('idle');
  expect(result?.output).toContain('nothing is written');
  expect(modified).toEqual(OLD);
});

test('a rule that denies rejects a write of identical content, and a rule that allows leaves the file untouched', async () => {
  expect((await written(RULE('deny'))).result).toMatchObject({ status: 'error' });
  const allowed = await written(RULE('allow'));
  expect([allowed.result?.output, allowed.modified]).toEqual([
    'notes.md has exactly this content already: nothing is written',
    OLD,
  ]);
});

test('a file that changed between the check and the call is not overwritten without approval', async () => {
  const script = new Script()
    .on({ step: 1 })
    .reply([
      toolUse('write_file', { path: 'first.md', content: 'New.\n' }),
      toolUse('write_file', { path: 'notes.md', content: CONTENT }),
      toolUse('write_file', { path: 'last.md', content: 'New.\n' }),
    ])
    .on({})
    .reply([text('Done.')]);
  const engine = await start(script, { files: { 'notes.md': CONTENT }, person: () => null });
  const { workflowId } = await engine.send('Go');
  // Calls are looked at one after the other, and done so: the second waits for the yes to the first.
  const [first, last] = await Promise.all(
    ['first', 'last'].map((name) => engine.event('approval-request', ({ approval }) => approval.title.includes(name))),
  );
  const file = join(engine.folder, 'notes.md');
  await writeFile(file, 'Mine by now.\n');
  for (const { approval } of [first!, last!])
    await engine.runtime.request('approval.decide', { approvalId: approval.id, item: 0, answer: { kind: 'allow' } });
  await engine.ended(workflowId);
  expect(engine.of('approval-request')).toHaveLength(2);
  expect(await readFile(file, 'utf8')).toBe('Mine by now.\n');
});

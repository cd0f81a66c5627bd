/** A file that somebody writes while a change of it is recorded stays as they left it, and the record has no change that was not made. */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { RuleEdits } from '#core/approvals/rule-edits.ts';
import { projectFile } from '#core/approvals/rule-files.ts';
import type * as RuleRecord from '#core/approvals/rule-record.ts';
import { folderWith } from '../../support/workspace.ts';

const recording = vi.hoisted(() => ({ meanwhile: async () => {} }));
vi.mock('#core/approvals/rule-record.ts', async (original) => {
  const { recordChange } = await original<typeof RuleRecord>();
  return {
    recordChange: async (...args: Parameters<typeof recordChange>) => {
      const takeBack = await recordChange(...args);
      await recording.meanwhile();
      return takeBack;
    },
  };
});

test('a concurrent change of the rule file is preserved, and the failed edit stays recorded only if others follow it', async () => {
  const [folder, data] = [await folderWith({}), await folderWith({})];
  const file = projectFile(folder);
  const settings = { file: join(folder, 'config.toml'), setText: async () => {} };
  const edits = new RuleEdits({ settings, data, isTrusted: async () => false });
  const recorded = async (): Promise<unknown[]> => {
    const lines = (await readFile(join(data, 'rule-changes.jsonl'), 'utf8')).trim().split('\n');
    return lines.map((line) => (JSON.parse(line) as { what: string }).what);
  };
  const add = (base: string | null) =>
    edits.change(folder, { scope: 'project', base, edit: { kind: 'add', rule: { effect: 'deny', tool: 'bash' } } });
  const { hash } = await add(null);
  const mine = '# mine\n';
  recording.meanwhile = () => writeFile(file, mine);
  await expect(edits.undo(folder, 'project', hash)).rejects.toMatchObject({ code: 'conflict' });
  expect([await readFile(file, 'utf8'), await recorded()]).toEqual([mine, ['add']]);
  await writeFile(file, '# yours\n');
  const [project] = (await edits.files(folder)).filter(({ scope }) => scope === 'project');
  await expect(add(project!.hash)).rejects.toMatchObject({ code: 'conflict' });
  expect([await readFile(file, 'utf8'), await recorded()]).toEqual([mine, ['add']]);
  // Another program recorded a change meanwhile: its line must stay.
  recording.meanwhile = async () => {
    await appendFile(join(data, 'rule-changes.jsonl'), '{"what":"other"}\n');
    await writeFile(file, '# theirs\n');
  };
  const base = async () => (await edits.files(folder)).find(({ scope }) => scope === 'project')!.hash;
  await expect(add(await base())).rejects.toMatchObject({ code: 'conflict' });
  expect(await recorded()).toEqual(['add', 'add', 'other']);
  recording.meanwhile = async () => {};
  await add(await base());
  expect(await recorded()).toEqual(['add', 'add', 'other', 'add']);
});

test.for([true, false])('reports the error of a failed write (recorded first: %s)', async (isRecorded) => {
  const folder = await folderWith({});
  const setText = async ({ record }: { record?: () => Promise<void> }): Promise<void> => {
    if (isRecorded) await record?.();
    throw new Error('The disk is full');
  };
  const edits = new RuleEdits({
    settings: { file: join(folder, 'config.toml'), setText },
    isTrusted: async () => false,
  });
  const edit = { kind: 'add', rule: { effect: 'deny', tool: 'bash' } } as const;
  await expect(edits.change(folder, { scope: 'user', base: null, edit })).rejects.toThrow('The disk is full');
});

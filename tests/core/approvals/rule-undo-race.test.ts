/** A project's file that a change has made is taken away again only as that change has left it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { RuleEdits } from '#core/approvals/rule-edits.ts';
import { projectFile } from '#core/approvals/rule-files.ts';
import { folderWith } from '../../support/workspace.ts';

const recording = vi.hoisted(() => ({ meanwhile: async () => {} }));
vi.mock('#core/approvals/rule-record.ts', () => ({ recordChange: () => recording.meanwhile() }));

test('what somebody wrote there while the undo was recorded stays', async () => {
  const folder = await folderWith({});
  const file = projectFile(folder);
  const settings = { file: join(folder, 'config.toml'), setText: async () => {} };
  const edits = new RuleEdits({ settings, isTrusted: async () => false });
  const edit = { kind: 'add', rule: { effect: 'deny', tool: 'bash' } } as const;
  const { hash } = await edits.change(folder, { scope: 'project', base: null, edit });
  const mine = '# mine\n';
  recording.meanwhile = () => writeFile(file, mine);
  await expect(edits.undo(folder, 'project', hash)).rejects.toMatchObject({ code: 'conflict' });
  expect(await readFile(file, 'utf8')).toBe(mine);
});

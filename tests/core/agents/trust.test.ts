/** The file of trust: private, written whole, and worth nothing when it is damaged. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '#core/base/hash.ts';
import { startConfigured } from '../../support/settings/configured.ts';
import { folderWith } from '../../support/workspace.ts';

const FILE = '.triad/agents/a.md';
const agent = (text: string, name = 'a') => `---\nname: ${name}\ndescription: d\n---\n${text}\n`;
const projectFolder = () => folderWith({ [FILE]: agent('One.') });

/** A program with its trust file in this folder. */
async function started(data: string) {
  const runtime = await startConfigured(data);
  const look = async (folder: string) => (await runtime.request('trust.look', { folder, texts: true })).files;
  return {
    runtime,
    look,
    stateOf: async (folder: string, path = FILE) => (await look(folder)).find((file) => file.path === path)?.state,
    agree: async (folder: string, paths = [FILE]) => {
      const files = (await look(folder)).flatMap(({ path, hash }) =>
        hash !== null && paths.includes(path) ? [{ path, hash }] : [],
      );
      return runtime.request('trust.set', { folder, files });
    },
  };
}

test('the trust file is readable only by its owner, and concurrent changes are all stored', async () => {
  const data = await folderWith();
  const { agree } = await started(data);
  const folders = await Promise.all(Array.from({ length: 12 }, projectFolder));
  await Promise.all(folders.map((folder) => agree(folder)));
  expect((await stat(join(data, 'trust.json'))).mode & 0o777).toBe(0o600);
  const { runtime, stateOf } = await started(data);
  const list = await runtime.request('trust.list', {});
  expect(list.map(({ folder }) => folder).sort()).toEqual([...folders].sort());
  expect(list[0]?.files).toEqual([FILE]);
  await runtime.request('trust.revoke', { folder: folders[0]! });
  expect([await stateOf(folders[0]!), await stateOf(folders[1]!)]).toEqual(['new', 'same']);
});

test('trust covers the exact text of a file at its own path', async () => {
  const other = '.triad/agents/b.md';
  const folder = await folderWith({ [FILE]: agent('One.'), [other]: agent('One.') });
  const { agree, stateOf } = await started(await folderWith());
  await agree(folder);
  expect([await stateOf(folder), await stateOf(folder, other)]).toEqual(['same', 'new']);
  await writeFile(join(folder, FILE), agent('Two.'));
  expect(await stateOf(folder)).toBe('changed');
});

test.for(['', '{', '[]', '{"/x": {"files": 1}}'])(
  'a damaged trust file (%j) trusts nothing and is not overwritten',
  async (text) => {
    const data = await folderWith({ 'trust.json': text });
    const { runtime, agree, stateOf } = await started(data);
    const folder = await projectFolder();
    expect(await stateOf(folder)).toBe('new');
    await expect(runtime.request('trust.list', {})).rejects.toThrow('trust.json is damaged');
    await expect(agree(folder)).rejects.toThrow('is damaged');
    expect(await readFile(join(data, 'trust.json'), 'utf8')).toBe(text);
  },
);

test('changes of the trust file by another process apply at once', async () => {
  const [folder, data] = [await projectFolder(), await folderWith()];
  const [{ stateOf }, other] = [await started(data), await started(data)];
  expect(await stateOf(folder)).toBe('new');
  await other.agree(folder);
  expect([await stateOf(folder), await stateOf(folder)]).toEqual(['same', 'same']);
  await writeFile(join(folder, FILE), agent('Two.'));
  await other.agree(folder);
  expect(await stateOf(folder)).toBe('same');
  await other.runtime.request('trust.revoke', { folder });
  expect(await stateOf(folder)).toBe('new');
  await other.agree(folder);
  expect(await stateOf(folder)).toBe('same');
  await writeFile(join(data, 'trust.json'), '{');
  expect(await stateOf(folder)).toBe('new');
});

test('trust of a deleted folder can be revoked, and a deleted folder cannot be trusted', async () => {
  const data = await folderWith({
    'trust.json': '{"/gone": {"at": "2026-01-01T00:00:00.000Z", "files": {"a": "b"}}}',
  });
  const { runtime } = await started(data);
  expect(await runtime.request('trust.revoke', { folder: '/gone' })).toEqual({ revoked: true });
  expect(await runtime.request('trust.list', {})).toEqual([]);
  await expect(runtime.request('trust.set', { folder: '/gone', files: [] })).rejects.toThrow('/gone is not a folder');
});

test('the trusted text is stored while it is trusted, and a change is shown as a diff', async () => {
  const [before, after] = [agent('One.'), agent('Two.')];
  const [folder, data] = [await projectFolder(), await folderWith()];
  const { runtime, look, agree, stateOf } = await started(data);
  expect(await look(folder)).toMatchObject([{ state: 'new', text: before }]);
  await agree(folder);
  expect(await readdir(join(data, 'trusted'))).toEqual([sha256(before)]);
  expect((await stat(join(data, 'trusted', sha256(before)))).mode & 0o777).toBe(0o600);
  expect((await look(folder))[0]).not.toHaveProperty('diff');

  await writeFile(join(folder, FILE), after);
  const [changed] = await look(folder);
  expect(changed).toMatchObject({ state: 'changed', text: after });
  expect(changed?.diff?.split('\n')).toEqual(expect.arrayContaining(['-One.', '+Two.']));
  // Kept by somebody else's hand, it is worth nothing.
  await writeFile(join(data, 'trusted', sha256(before)), 'another text');
  expect((await look(folder))[0]).not.toHaveProperty('diff');

  const saved = '.triad/agents/b.md';
  const text = agent('Saved.', 'b');
  await runtime.request('agents.save', { folder, file: join(folder, saved), text, before: null });
  expect([await stateOf(folder), await stateOf(folder, saved)]).toEqual(['changed', 'same']);
  await runtime.request('trust.revoke', { folder });
  expect(await readdir(join(data, 'trusted'))).toEqual([]);
});

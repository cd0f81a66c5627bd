/** The file of trust: private, written whole, and worth nothing when it is damaged. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAgentFile } from '#core/agents/read-place.ts';
import { sha256 } from '#core/base/hash.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { lookAtTrust } from '#core/agents/trust-look.ts';
import { Trust } from '#core/agents/trust.ts';
import { folderWith } from '../../support/workspace.ts';

test('the trust file is readable only by its owner, and concurrent changes are all stored', async () => {
  const root = await folderWith({ 'data/x': '' });
  const trust = new Trust(join(root, 'data'));
  const folders = await Promise.all(Array.from({ length: 12 }, () => folderWith({ f: 'x' })));
  await Promise.all(folders.map((folder, index) => trust.set(folder, new Map([['f', `hash ${index}`]]))));
  expect((await stat(join(root, 'data/trust.json'))).mode & 0o777).toBe(0o600);
  const list = await new Trust(join(root, 'data')).list();
  expect(list.map(({ folder }) => folder).sort()).toEqual([...folders].sort());
  expect(list[0]?.files).toEqual(['f']);
  await trust.revoke(folders[0]!);
  expect([await trust.hashes(folders[0]!), await trust.hashes(folders[1]!)]).toEqual([
    new Map(),
    new Map([['f', 'hash 1']]),
  ]);
});

test('trust covers the exact text of a file at its own path', async () => {
  const folder = await folderWith({ '.triad/config.toml': 'a = 1', 'other.toml': 'a = 1' });
  const trust = new Trust(await folderWith());
  const isAsTrusted = async (path: string): Promise<boolean> => {
    const [hashes, file] = await Promise.all([trust.hashes(folder), readAgentFile(join(folder, path))]);
    return file.problem === null && hashes.get(path) === file.hash;
  };
  await trust.set(folder, new Map([['.triad/config.toml', sha256('a = 1')]]));
  expect(await isAsTrusted('.triad/config.toml')).toBe(true);
  expect(await isAsTrusted('other.toml')).toBe(false);
  await writeFile(join(folder, '.triad/config.toml'), 'a = 2');
  expect(await isAsTrusted('.triad/config.toml')).toBe(false);
  expect(await isAsTrusted('none')).toBe(false);
});

test.for(['', '{', '[]', '{"/x": {"files": 1}}'])(
  'a damaged trust file (%j) trusts nothing and is not overwritten',
  async (text) => {
    const data = await folderWith({ 'trust.json': text });
    const trust = new Trust(data);
    const folder = await folderWith();
    expect(await trust.hashes(folder)).toEqual(new Map());
    await expect(trust.list()).rejects.toThrow('trust.json is damaged');
    await expect(trust.set(folder, new Map())).rejects.toThrow('is damaged');
    expect(await readFile(join(data, 'trust.json'), 'utf8')).toBe(text);
  },
);

test('changes of the trust file by another process apply at once', async () => {
  const [folder, data] = [await folderWith({ f: 'x' }), await folderWith()];
  const [mine, other] = [new Trust(data), new Trust(data)];
  const known = async () => (await mine.hashes(folder)).get('f') ?? null;
  expect(await known()).toBeNull();
  await other.set(folder, new Map([['f', 'hash 1']]));
  expect([await known(), await known()]).toEqual(['hash 1', 'hash 1']);
  await other.set(folder, new Map([['f', 'hash 2']]));
  expect(await known()).toBe('hash 2');
  await other.revoke(folder);
  expect(await known()).toBeNull();
  await other.set(folder, new Map([['f', 'hash 2']]));
  expect(await known()).toBe('hash 2');
  await writeFile(join(data, 'trust.json'), '{');
  expect(await known()).toBeNull();
});

test('trust of a deleted folder can be revoked, and a deleted folder cannot be trusted', async () => {
  const data = await folderWith({
    'trust.json': '{"/gone": {"at": "2026-01-01T00:00:00.000Z", "files": {"a": "b"}}}',
  });
  const trust = new Trust(data);
  expect(await trust.revoke('/gone')).toBe(true);
  expect(await trust.list()).toEqual([]);
  await expect(trust.set('/gone', new Map())).rejects.toThrow('/gone is not a folder');
});

test('the trusted text is stored while it is trusted, and a change is shown as a diff', async () => {
  const before = '---\nname: a\ndescription: d\n---\nOne.\n';
  const folder = await folderWith({ '.triad/agents/a.md': before });
  const data = await folderWith();
  const trust = new Trust(data);
  const look = async () =>
    (
      await lookAtTrust(folder, await trust.hashes(folder), {
        tools: allTools(),
        texts: trust.texts,
        findStartPlace: () => Promise.resolve(null),
      })
    ).files;
  expect(await look()).toMatchObject([{ state: 'new', text: before }]);
  await trust.set(folder, new Map([['.triad/agents/a.md', sha256(before)]]), [before]);
  expect(await readdir(join(data, 'trusted'))).toEqual([sha256(before)]);
  expect((await stat(join(data, 'trusted', sha256(before)))).mode & 0o777).toBe(0o600);
  expect((await look())[0]).not.toHaveProperty('diff');

  const after = before.replace('One.', 'Two.');
  await writeFile(join(folder, '.triad/agents/a.md'), after);
  const [changed] = await look();
  expect(changed).toMatchObject({ state: 'changed', text: after });
  expect(changed?.diff?.split('\n')).toEqual(expect.arrayContaining(['-One.', '+Two.']));
  // Kept by somebody else's hand, it is worth nothing.
  await writeFile(join(data, 'trusted', sha256(before)), 'another text');
  expect((await look())[0]).not.toHaveProperty('diff');

  await trust.add(folder, '.triad/agents/b.md', 'b');
  expect([...(await trust.hashes(folder)).keys()]).toEqual(['.triad/agents/a.md', '.triad/agents/b.md']);
  await trust.revoke(folder);
  expect(await readdir(join(data, 'trusted'))).toEqual([]);
});

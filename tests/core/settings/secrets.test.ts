/** Secrets are kept in one file that only its owner can read. */
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileSecrets } from '#core/settings/secrets.ts';
import { folderWith } from '../../support/workspace.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('returns a stored secret, also in another instance, until the secret is removed', async () => {
  const folder = join(await folderWith(), 'config');
  const secrets = fileSecrets(folder);
  expect(await secrets.get('anthropic')).toBeNull();
  await secrets.set('anthropic', 'sk-1');
  await secrets.set('other', 'x');
  expect(await fileSecrets(folder).get('anthropic')).toBe('sk-1');
  await secrets.set('anthropic', null);
  expect(await secrets.get('anthropic')).toBeNull();
  expect(await secrets.get('other')).toBe('x');
  expect(await secrets.get('toString')).toBeNull();
  expect([await modeOf(folder), await modeOf(join(folder, 'secrets.json'))]).toEqual([0o700, 0o600]);
});

test('makes a file that others can read private, and uses the file', async () => {
  const folder = await folderWith({ 'secrets.json': '{"anthropic": "sk-1"}' });
  await chmod(join(folder, 'secrets.json'), 0o644);
  expect(await fileSecrets(folder).get('anthropic')).toBe('sk-1');
  expect(await modeOf(join(folder, 'secrets.json'))).toBe(0o600);
});

test('stores many concurrent changes', async () => {
  const folder = await folderWith();
  const secrets = fileSecrets(folder);
  await Promise.all(Array.from({ length: 20 }, (_, i) => secrets.set(`k${i}`, `v${i}`)));
  expect(Object.keys(JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8')) as object)).toHaveLength(20);
});

test.for(['{"anthropic": "sk-secret"', '["sk-secret"]', '{"a": 1}'])(
  'reports the path of a damaged file %s without its content, and does not overwrite the file',
  async (text) => {
    const folder = await folderWith();
    const path = join(folder, 'secrets.json');
    await writeFile(path, text, { mode: 0o600 });
    const error: unknown = await fileSecrets(folder)
      .set('x', 'y')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'bad_input', message: expect.stringContaining(path) as string });
    expect(JSON.stringify(error) + String(error)).not.toContain('sk-secret');
    expect(await readFile(path, 'utf8')).toBe(text);
  },
);

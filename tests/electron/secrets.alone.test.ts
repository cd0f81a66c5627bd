/** Keys behind the key store of the system; the store's part is the stand-in's, files are real. */
import { readFile, writeFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { standInSafeStorage } from '../../e2e/support/electron-stand-in/system.ts';

const store = vi.hoisted(() => ({ name: 'gnome_libsecret' }));
vi.mock('electron', () => ({
  get safeStorage() {
    return standInSafeStorage(store.name);
  },
}));
const { systemSecrets } = await import('../../electron/secrets.ts');

beforeEach(() => void (store.name = 'gnome_libsecret'));

async function folder(plain?: Record<string, string>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'triad-keys-'));
  onTestFinished(() => rm(path, { recursive: true }));
  if (plain) await writeFile(join(path, 'secrets.json'), JSON.stringify(plain), { mode: 0o600 });
  return path;
}
const plainIn = async (path: string) => JSON.parse(await readFile(join(path, 'secrets.json'), 'utf8')) as unknown;

test('a value is encrypted on disk, and the next process can read it', async () => {
  const path = await folder();
  const secrets = await systemSecrets(path);
  await secrets.set('key', 'sk-secret');
  expect(await readFile(join(path, 'secrets.safe.json'), 'utf8')).not.toContain('sk-secret');
  expect(await (await systemSecrets(path)).get('key')).toBe('sk-secret');
  expect(secrets.place).toEqual({ backend: 'gnome_libsecret', warning: null });
  await secrets.set('key', null);
  expect(await secrets.get('key')).toBeNull();
});

test('values of the plain file stay readable, and a new value removes its plain copy', async () => {
  const path = await folder({ key: 'sk-old', other: 'kept' });
  const secrets = await systemSecrets(path);
  expect(await secrets.get('key')).toBe('sk-old');
  expect(await plainIn(path), 'reading moves nothing').toEqual({ key: 'sk-old', other: 'kept' });
  await secrets.set('key', 'sk-new');
  expect(await plainIn(path)).toEqual({ other: 'kept' });
  expect(await secrets.get('key')).toBe('sk-new');
  await secrets.set('other', null);
  expect(await secrets.get('other')).toBeNull();
});

test.for(['basic_text', 'none'])('with %s, keys are in the plain file, and a warning names that file', async (name) => {
  store.name = name;
  const path = await folder();
  const secrets = await systemSecrets(path);
  await secrets.set('key', 'sk-secret');
  expect(await plainIn(path)).toEqual({ key: 'sk-secret' });
  expect(secrets.place.backend).toBe(join(path, 'secrets.json'));
  expect(secrets.place.warning).toContain(join(path, 'secrets.json'));
});

test('a value that cannot be decrypted reads as null, with a warning until a new value is set', async () => {
  const path = await folder();
  await writeFile(join(path, 'secrets.safe.json'), JSON.stringify({ key: 'AAAA' }), { mode: 0o600 });
  const secrets = await systemSecrets(path);
  expect(await secrets.get('key')).toBeNull();
  expect(secrets.place.warning).toContain('could not be decrypted');
  await secrets.set('key', 'sk-new');
  expect([await secrets.get('key'), secrets.place.warning]).toEqual(['sk-new', null]);
});

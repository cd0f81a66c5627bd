/** Which URLs of a server are taken, and that none holds a secret. */
import { expect, test } from 'vitest';
import { folderOf } from '#core/store/opening/folder.ts';
import { remoteAddress } from '#core/store/remote/address.ts';
import { keepLogin, loginFor } from '#core/store/remote/login.ts';
import type { Secrets } from '#core/settings/secrets.ts';

test('parses a server, a namespace and a database from a URL', () => {
  const address = {
    endpoint: 'wss://db.example.org/rpc',
    namespace: 'team',
    database: 'ada_1',
    name: 'wss://db.example.org/team/ada_1',
  };
  for (const url of ['wss://db.example.org/team/ada_1', 'WSS://DB.example.org:443//team/ada_1/'])
    expect(remoteAddress(url)).toEqual(address);
  for (const host of ['127.0.0.1:8000', 'localhost:8000', '[::1]:8000', '127.1.2.3'])
    expect(remoteAddress(`ws://${host}/team/ada`)?.endpoint).toBe(`ws://${host}/rpc`);
  for (const url of ['mem://', 'rocksdb:///tmp/x', '']) expect(remoteAddress(url)).toBeNull();
});

test.for([
  ['ws://db.example.org/team/ada', /\(ws:\/\/db\.example\.org…\) is not encrypted: use wss:\/\//],
  ['ws://127.0.0.1.example.org/team/ada', /not encrypted/],
  ['wss://ada:hunter2@db.example.org/team/ada', /must hold no user.*triad config key store --user NAME < FILE/],
  ['wss://db.example.org/team/ada?token=hunter2', /must hold no user/],
  ['wss://db.example.org', /\(wss:\/\/db\.example\.org…\) does not name a namespace and a database: use wss:/],
  ['wss://db.example.org/team/ada/hunter2', /does not name/],
  ['wss://db.example.org/team/a%20b', /does not name/],
  ['wss://', /is not a URL of a server/],
] as const)('rejects the address %s', ([url, words]) => {
  const refusal: Error = expect.objectContaining({
    code: 'bad_input',
    message: expect.stringMatching(words) as string,
  }) as Error;
  expect(() => remoteAddress(url)).toThrow(refusal);
  expect(() => remoteAddress(url)).not.toThrow(/hunter2/);
});

test('names an invalid store URL without its possible secrets', () => {
  for (const url of [
    'https://ada:hunter2@db.example.org/team',
    'https://db.example.org/team?token=hunter2',
    'db#hunter2',
  ])
    expect(() => folderOf(url)).toThrow(/^(?!.*hunter2).* is not the URL of a store: use wss:/);
  expect(() => folderOf('https://db.example.org/team?token=hunter2')).toThrow('"https://db.example.org/team?…"');
});

test('uses a stored login only for its address, and prefers a complete login of the environment', async () => {
  const kept = new Map<string, string>();
  const secrets: Secrets = {
    place: { backend: 'a map', warning: null },
    get: (name) => Promise.resolve(kept.get(name) ?? null),
    set: (name, value) => Promise.resolve(void (value === null ? kept.delete(name) : kept.set(name, value))),
  };
  const [ours, other] = ['wss://db.example.org/team/ada', 'wss://db.example.net/team/ada'].map((url) =>
    remoteAddress(url)!,
  );
  expect(await loginFor(ours!, secrets, {})).toBeNull();
  await keepLogin(secrets, ours!, { user: 'ada', password: 'hunter2' });
  expect(await loginFor(ours!, secrets, {})).toEqual({ user: 'ada', password: 'hunter2' });
  expect(await loginFor(other!, secrets, {})).toBeNull();
  const env = { TRIAD_STORE_USER: 'bob', TRIAD_STORE_PASSWORD: 'p' };
  expect(await loginFor(ours!, secrets, env)).toEqual({ user: 'bob', password: 'p' });
  expect(await loginFor(ours!, secrets, { ...env, TRIAD_STORE_TOKEN: 't' })).toEqual({ token: 't' });
  await expect(loginFor(ours!, secrets, { TRIAD_STORE_USER: 'bob' })).rejects.toThrow(/belong together/);
  await keepLogin(secrets, ours!, null);
  expect(kept.size).toBe(0);
});

/** Which parts of what is kept, set and named are secret. */
import { expect, onTestFinished, test } from 'vitest';
import { knowSecrets, redact } from '#core/base/redact.ts';
import { tellEnvironment, tellKept, tellSecrets, tellServer } from '#core/settings/known-secrets.ts';
import { LiveSettings } from '#core/settings/live-settings.ts';
import { settingsOf } from '../../support/compose.ts';
import { folderWith } from '../../support/workspace.ts';

const kept = (apiKey: string) => tellKept('test', [JSON.stringify({ apiKey, address: 'http://127.0.0.1:9' })]);
const set = (name: string, value: string) => tellEnvironment({ [name]: value });
const header = (name: string, value: string) => tellServer('test', { env: {}, headers: { [name]: value } });
const mine = (auth: string) =>
  tellSecrets(settingsOf(`[providers.mine]\ntype = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n${auth}\n`), {});

test.for([
  ['redacts a stored key', () => kept('abc%41defgh-4711'), 'abc%41defgh-4711'],
  ['redacts the decoded form of a stored key', () => kept('abc%41defgh-4711'), 'abcAdefgh-4711'],
  ['redacts a stored header', () => kept('x-collector-team=words-of-the-team'), 'words-of-the-team'],
  ['redacts one of several stored headers', () => kept('authorization=Basic%20abcdef-4711,x-team=blue'), 'abcdef-4711'],
  [
    'redacts headers in an environment variable',
    () => set('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'a=b,k=traces-4711'),
    'traces-4711',
  ],
  ['redacts a variable that ends with white space', () => set('MY_TOKEN', 'token-of-mine\n'), 'token-of-mine'],
  [
    'redacts a key in the settings',
    () => mine('auth = { api_key = "key-in-a-file", in_file = true }'),
    'key-in-a-file',
  ],
  ['redacts a header of an MCP server', () => header('Authorization', 'Token of-a-server'), 'of-a-server'],
  [
    'redacts a variable of an MCP server',
    () => tellServer('test', { env: { A_KEY: 'key-of-a-server' }, headers: {} }),
    'key-of-a-server',
  ],
] as const)('%s', ([, tell, secret]) => {
  onTestFinished(() => {
    for (const source of ['kept: test', 'environment', 'providers', 'MCP server: test']) knowSecrets(source, []);
  });
  expect(redact(`It is ${secret} indeed`)).toBe(`It is ${secret} indeed`);
  tell();
  expect(redact(`It is ${secret} indeed`)).toBe('It is [redacted: known key] indeed');
});

test('a variable that the settings name stays redacted while the environment is registered again', () => {
  onTestFinished(() => knowSecrets('variables in settings', []));
  const env = { TEAM_WORDS: 'words-of-the-team' };
  tellSecrets(settingsOf('redact = { env = ["TEAM_WORDS"] }'), env);
  tellEnvironment(env);
  expect(redact('It is words-of-the-team')).toBe('It is [redacted: known key]');
});

test('the key of a new provider is redacted at once', async () => {
  onTestFinished(() => knowSecrets('providers', []));
  const live = new LiveSettings(await folderWith(), settingsOf(''), (now) => tellSecrets(now, {}));
  const auth = { api_key: 'key-of-another', in_file: true };
  await live.setProvider('mine', { type: 'openai-chat', base_url: 'http://127.0.0.1:9/v1', auth });
  expect(redact('It is key-of-another')).toBe('It is [redacted: known key]');
});

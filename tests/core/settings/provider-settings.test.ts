/** A table of a provider that does not fit is one sentence with its line; one that fits is read and set by its path. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkSettings } from '#core/settings/settings.ts';
import { sentenceOf } from '#core/settings/toml-file.ts';
import { startConfigured } from '../../support/settings/configured.ts';
import { folderWith } from '../../support/workspace.ts';

const FINE = '[providers.mine]\ntype = "openai-chat"\nbase_url = "http://127.0.0.1:1/v1"\n';

test.for([
  [`${FINE}auth.api_key = "sk-1"\n`, 4, /^providers\.mine\.auth\.api_key must not stand here in the clear: write/],
  [`${FINE}auth.api_key = { env = "HOME" }\n`, 4, /^providers\.mine\.auth\.api_key/],
  [`${FINE}web_search = "always"\n`, 4, /^providers\.mine\.web_search is for type "anthropic" alone$/],
  [`${FINE}typo = 1\n`, 4, /^providers\.mine\.typo is not a setting/],
  [FINE.replace('mine', 'My-Own'), 1, /^providers\.My-Own is no name: it must have at most 41 small letters/],
  [FINE.replace('mine', 'demo'), 1, /^providers\.demo is the scripted provider: take another name$/],
  [FINE.replace('http://127.0.0.1:1/v1', 'mine'), 3, /^providers\.mine\.base_url must be an http or https address$/],
  [
    '[providers.anthropic]\nbase_url = "http://ada:s3cret@models.example"\n',
    2,
    /^providers\.anthropic\.base_url must be without a name and password: the key belongs/,
  ],
  [`providers.embeddings = "mine"\n${FINE}`, 1, /which needs providers\.mine\.embeddings\.model and \.dimensions$/],
  ['providers.activ = "demo"\n', 1, /^providers\.activ must be a table of a provider/],
] as const)('rejects the provider settings %j with their line', ([text, line, words]) => {
  const result = checkSettings(text);
  const [problem, ...others] = result.ok ? [] : result.problems;
  expect(others).toEqual([]);
  expect(problem?.line).toBe(line);
  expect(problem && sentenceOf(problem)).toMatch(words);
});

test('reads and sets keys of a provider by path, and preserves comments', async () => {
  const folder = await folderWith({ 'config.toml': `# mine\n${FINE}` });
  const url = 'http://127.0.0.1:2/v1';
  const runtime = await startConfigured(folder);
  const set = (path: string, value: string) => runtime.request('settings.set', { path, value });
  const rows = await set('providers.mine.base_url', url);
  expect(rows.find(({ path }) => path === 'providers.mine.base_url')).toMatchObject({ value: url });
  await set('providers.mine.max_concurrent', '4');
  expect(await readFile(join(folder, 'config.toml'), 'utf8')).toBe(
    `# mine\n${FINE.replace(':1/', ':2/')}max_concurrent = 4\n`,
  );
  await expect(set('providers.other.base_url', url)).rejects.toMatchObject({ code: 'bad_input' });
});

test('accepts an API key in the file if in_file is true', () => {
  expect(checkSettings(`${FINE}auth = { api_key = "sk-1", in_file = true }\n`)).toMatchObject({ ok: true });
});

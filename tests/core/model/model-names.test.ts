// Names of models: aliases, ids, and what is neither.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_MODEL } from '#contract/limits.ts';
import { resolveModel } from '#core/model/model-names.ts';
import { DEFAULT_ALIASES } from '#core/settings/model-aliases.ts';

test.for(Object.entries(DEFAULT_ALIASES))('the alias %s resolves to %s', ([alias, id]) => {
  expect(resolveModel(alias)).toBe(id);
  expect(resolveModel(` ${alias.toUpperCase()} `)).toBe(id);
});

test('the default model is an alias', () => {
  expect(Object.keys(DEFAULT_ALIASES)).toContain(DEFAULT_MODEL);
});

test('every alias resolves to a model known to the SDK', async () => {
  const sdk = path.dirname(createRequire(import.meta.url).resolve('@anthropic-ai/sdk'));
  const types = await readFile(path.join(sdk, 'resources/messages/messages.d.ts'), 'utf8');
  const known = /export type Model = ([^;]*);/.exec(types)?.[1] ?? '';
  for (const id of Object.values(DEFAULT_ALIASES)) expect(known).toContain(`'${id}'`);
});

test('configured aliases replace the default aliases', () => {
  expect(resolveModel('fast', { fast: 'llama3.2:1b' })).toBe('llama3.2:1b');
  expect(() => resolveModel('sonnet', { fast: 'llama3.2:1b' })).toThrow('fast');
});

test.for(['claude-opus-4-5-20251101', 'llama3.2:1b', 'vendor/model', 'gpt4'])('accepts %s as a model id', (id) => {
  expect(resolveModel(id)).toBe(id);
});

test.for(['sonet', '', 'claude opus 5', 'constructor'])('rejects %j and lists the aliases', (name) => {
  expect(() => resolveModel(name)).toThrow(/sonnet, haiku, opus/);
});

/** Dotted paths: what is written is what is read, and keys with dots and quotes stay one part. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dotted, partsOf } from '#core/settings/dotted-path.ts';
import { manyAt, rowAt, rowsOf, WITHOUT_ROWS } from '#core/settings/setting-rows.ts';
import { editToml } from '#core/settings/edit-toml.ts';
import { settingsOf } from '../../support/settings/settings-of.ts';
import { samples } from '../../support/samples.ts';

test('a dotted path parses into the parts that it was created from', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (parts) => {
      expect(partsOf(dotted(parts))).toEqual(parts);
    }),
    samples(200),
  );
  expect(partsOf(`a."b.c".'d "e'`)).toEqual(['a', 'b.c', 'd "e']);
  for (const wrong of ['', '.', 'a.', '.a', 'a..b', 'a b', '"a', 'a"b', `a."b"c`, '"a".'])
    expect(partsOf(wrong), wrong).toBe(null);
});

const Model = z.strictObject({ window: z.int().min(1).nullable().default(null).describe('Most tokens.') });
const One = z.strictObject({ url: z.string(), models: z.record(z.string(), Model).default({}) });
const Named = z.object({
  providers: z
    .object({ active: z.string().default('a') })
    .catchall(One)
    .prefault({}),
  hidden: z.record(z.string(), One).default({}).meta(WITHOUT_ROWS),
});

test('tables with user-defined names have a row per key, and valid paths before they exist', () => {
  const values = { providers: { active: 'x', x: { url: 'u', models: { 'l:3.2': { window: 5 } } } }, hidden: {} };
  const rows = rowsOf(Named, values).map(({ path, value }) => [path, value]);
  expect(rows).toEqual([
    ['providers.active', 'x'],
    ['providers.x.url', 'u'],
    ['providers.x.models."l:3.2".window', 5],
  ]);
  const row = rowAt(Named, values, ['providers', 'new', 'models', 'm', 'window']);
  expect(row).toMatchObject({ kind: 'integer', value: null, min: 1, description: 'Most tokens.' });
  expect(rowAt(Named, values, ['providers', 'new'])).toBe(null);
  expect(rowAt(Named, values, ['hidden', 'a', 'url'])).toBe(null);
  expect(manyAt(Named, ['hidden', 'a', 'url'])).toEqual({ kind: 'list', path: 'hidden' });
  expect(manyAt(Named, ['providers', 'x'])).toEqual({ kind: 'group', path: 'providers.x' });
});

test('a new key is written beside the dotted keys of its table, and a quoted key keeps its quotes', () => {
  const text = '# mine\nlimits.max_sub_agents = 2 # two\nmodels.default = "opus"\n';
  const then = editToml(text, { kind: 'set', path: ['limits', 'max_concurrent'], value: 1 }) ?? '';
  expect(then).toBe('# mine\nlimits.max_sub_agents = 2 # two\nlimits.max_concurrent = 1\nmodels.default = "opus"\n');
  expect(settingsOf(then).limits).toMatchObject({ max_sub_agents: 2, max_concurrent: 1 });
  expect(editToml('', { kind: 'set', path: ['a', 'l:3.2', 'w'], value: 5 })).toBe('[a."l:3.2"]\nw = 5\n');
});

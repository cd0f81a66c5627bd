// Which model a message asks, what is known of it, and about what it costs to send it.
import { expect, it } from 'vitest';
import { estimateWords } from '#lib/chat/composer/estimate.ts';
import { askable, askedModel, choiceOf, keyOf, modelLine } from '#lib/chat/composer/models.ts';
import { providerState } from '../../../support/providers/app-state.ts';

const sonnet = { alias: 'sonnet', id: 'claude-sonnet', window: 1_000_000, vision: true, inputPrice: 2 };
const small = { alias: 'small', id: 'small:3b', window: null, vision: false, inputPrice: null };
const anthropic = providerState({ models: [sonnet] });
const local = providerState({ name: 'local', active: false, models: [small], defaultModel: 'small' });

it('askedModel uses the chosen model, else the model of the lead, else that of the active provider', () => {
  const providers = [anthropic, local];
  expect(askedModel(providers, {})).toMatchObject({ provider: 'anthropic', model: 'sonnet', inputPrice: 2 });
  expect(askedModel(providers, { provider: 'local', model: null })).toMatchObject({ model: 'small', vision: false });
  expect(askedModel(providers, { model: 'claude-sonnet' })).toMatchObject({ model: 'sonnet' });
  expect(askedModel(providers, { model: 'unknown' })).toEqual({ provider: 'anthropic', model: 'unknown' });
  expect(askedModel([providerState({ defaultModel: null })], {})).toBeNull();
});

it('askable lists only ready providers, and none while the demo provider is active', () => {
  const unready = providerState({ name: 'other', active: false, ready: false, models: [small] });
  expect(askable([anthropic, local, unready]).map(({ name }) => name)).toEqual(['anthropic', 'local']);
  expect(askable([providerState({ type: 'demo', models: [small] }), local])).toEqual([]);
});

it('modelLine describes context size and image support', () => {
  expect([sonnet, small, { ...small, vision: null }].map(modelLine)).toEqual([
    ...['sonnet · reads 1M · sees pictures', 'small · no pictures', 'small'],
  ]);
  expect(choiceOf(keyOf({ provider: 'local', model: 'a:b' }))).toEqual({ provider: 'local', model: 'a:b' });
  expect(choiceOf('')).toEqual({});
});

it('the estimate is the price of reading all tokens once, and is omitted if the price is unknown', () => {
  const words = (inputPrice: number | null, context = 98_000) =>
    estimateWords({ tokens: 2000, context, asked: { inputPrice } });
  expect(words(2)?.beside).toBeNull();
  expect(words(6)?.beside).toBe('about $0.60');
  expect(words(2)?.why).toContain('the context before it 98K');
  expect(words(2, 0)?.why).toContain('costs about $0.0040');
  for (const unknown of [words(null), words(0), estimateWords({ tokens: 2000, context: 0, asked: null })])
    expect(unknown).toMatchObject({ beside: null, why: expect.not.stringContaining('$') as string });
  expect(estimateWords({ tokens: 99, context: 0, asked: { inputPrice: 2 } })).toBeNull();
});

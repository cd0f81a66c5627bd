/** The form of a provider: a field that has to be entered first says so itself, until something is entered. */
import { expect, it } from 'vitest';
import { App } from '#lib/app/app.svelte.ts';
import { ProviderDraft } from '#lib/settings/provider-draft.svelte.ts';
import { FakeConnection } from '../support/fake-connection.ts';
import { silentToasts } from '../support/toasts.ts';

it('marks the missing field, and sends no request', () => {
  const connection = new FakeConnection();
  connection.status = 'closed';
  const draft = new ProviderDraft(new App(connection, silentToasts), null);
  draft.apiKey = ' ';
  expect([draft.has('apiKey'), draft.missing]).toEqual([false, 'apiKey']);
  expect([draft.failure, connection.calls]).toEqual([null, []]);
  draft.clearResults();
  expect(draft.missing).toBeNull();
  draft.apiKey = 'sk-1';
  expect([draft.has('apiKey'), draft.missing, draft.has('baseUrl'), draft.missing]).toEqual([
    ...[true, null, false, 'baseUrl'],
  ]);
});

it('offers the servers of this machine, and takes the address and first model of the chosen one', async () => {
  const server = {
    name: 'Ollama',
    models: ['tiny:1b', 'small:3b'],
    speaks: [{ type: 'openai-chat' as const, baseUrl: 'http://127.0.0.1:11434/v1' }],
  };
  const connection = new FakeConnection().on('provider.detect', () => [server]);
  const draft = new ProviderDraft(new App(connection, silentToasts), null);
  await draft.detect();
  expect(draft.offered?.map(({ name }) => name)).toEqual(['Ollama']);
  draft.choose(draft.offered![0]!);
  expect([draft.newName, draft.type, draft.baseUrl, draft.model]).toEqual([
    ...['ollama', 'openai-chat', 'http://127.0.0.1:11434/v1', 'tiny:1b'],
  ]);
});

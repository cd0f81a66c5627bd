// Where requests go: every request of a provider is put behind the path of its base URL, and before what stands behind a "?".
import { expect, test } from 'vitest';
import { createModel } from '#core/model/adapters.ts';
import { addressOf } from '#core/model/kept-key.ts';
import { askForModels } from '#core/model/model-lists.ts';
import { attempt } from '../../support/fake-model/exchange.ts';
import { listening } from '../../support/web/web-server.ts';

test.for([
  ['anthropic', '/v1/messages', '/v1/models?v=1&limit=1000'],
  ['openai-chat', '/chat/completions', '/models?v=1'],
  ['openai-responses', '/responses', '/models?v=1'],
] as const)('%s: slashes, a query and a fragment', async ([type, path, list]) => {
  const asked: string[] = [];
  const server = await listening(({ url }, response) => {
    asked.push(url ?? '');
    response.writeHead(404).end();
  });
  const baseUrl = `${server!.url}a/b//?v=1#part`;
  await attempt(await createModel({ name: 'one', type, apiKey: 'k', baseUrl }));
  await askForModels({ address: addressOf(baseUrl), type }, 'k', new AbortController().signal);
  expect(asked).toEqual([`/a/b${path}?v=1`, `/a/b${list}`]);
});

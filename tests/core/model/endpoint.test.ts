// Where requests go: every request of a provider is put behind the path of its base URL, and before what stands behind a "?".
import { expect, test } from 'vitest';
import { startConfigured } from '../../support/settings/configured.ts';
import { listening } from '../../support/web/web-server.ts';
import { folderWith } from '../../support/workspace.ts';

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
  const runtime = await startConfigured(await folderWith());
  await runtime.request('provider.test', { name: 'one', type, apiKey: 'k', baseUrl, model: 'm' });
  expect(asked.toSorted()).toEqual([`/a/b${path}?v=1`, `/a/b${list}`].toSorted());
});

/** The protocol's own example servers, as a person would configure them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { McpPool, McpUse } from '#core/mcp/pool.ts';
import { fullTest } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';
import { never, newPool, reference, said, textOf, useOf } from './support.ts';

const faultOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe('everything', () => {
  let pool: McpPool;
  let use: McpUse;
  beforeAll(() => {
    pool = newPool();
    use = pool.use(reference('everything', [], { sampling: true }), process.cwd());
  });
  afterAll(() => pool.end());

  test('returns its name and instructions, and offers the tools that depend on client capabilities', async () => {
    const names = (await use.server.tools(never)).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['echo', 'get-roots-list', 'trigger-elicitation-request', 'trigger-sampling-request']),
    );
    expect(pool.state(process.cwd())[0]?.words).toMatchObject({
      name: 'mcp-servers/everything',
      instructions: expect.stringContaining('Everything Server') as string,
    });
    const echo = (await use.server.tools(never)).find(({ name }) => name === 'echo');
    expect(echo).toMatchObject({ title: 'Echo Tool', inputSchema: { type: 'object', required: ['message'] } });
  });

  test('returns text, image, structured, link and resource content in the right form', async () => {
    expect(await said(use, 'echo', { message: 'hé' })).toBe('Echo: hé');
    const image = await use.server.call('get-tiny-image', {}, { signal: never });
    const block = image.content.find(({ type }) => type === 'image');
    expect(block).toMatchObject({ mime: 'image/png' });
    expect(block?.type === 'image' && Buffer.from(block.bytes).subarray(1, 4).toString()).toBe('PNG');
    const { structured } = await use.server.call('get-structured-content', { location: 'Chicago' }, { signal: never });
    expect(structured).toMatchObject({ temperature: expect.any(Number) as number });
    const links = await use.server.call('get-resource-links', { count: 1 }, { signal: never });
    expect(links.content.find(({ type }) => type === 'resource-link')).toMatchObject({
      resource: { uri: expect.stringContaining('demo://') as string },
    });
    const embedded = await use.server.call(
      'get-resource-reference',
      { resourceType: 'Text', resourceId: 1 },
      { signal: never },
    );
    expect(embedded.content.find(({ type }) => type === 'resource')).toMatchObject({
      content: { uri: 'demo://resource/dynamic/text/1', text: expect.any(String) as string },
    });
  });

  test('returns a refused call as an error result, not as a failure', async () => {
    const wrong = await use.server.call('echo', { message: 7 }, { signal: never });
    expect(wrong).toMatchObject({ isError: true });
    expect(textOf(wrong)).toMatch(/message/);
    expect(await use.server.call('no-such-tool', {}, { signal: never })).toMatchObject({ isError: true });
  });

  test('reports each progress step of a call', async () => {
    const steps: unknown[] = [];
    const args = { duration: 0.2, steps: 4 };
    await use.server.call('trigger-long-running-operation', args, {
      signal: never,
      onProgress: (one) => steps.push(one),
    });
    expect(steps.slice(0, 3)).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 4 })));
  });

  test('lists and reads resources, templates and prompts', async () => {
    const [resources, templates, prompts] = await Promise.all([
      use.server.resources(never),
      use.server.resourceTemplates(never),
      use.server.prompts(never),
    ]);
    const [first] = resources;
    expect(await use.server.readResource(first!.uri, never)).toMatchObject([
      { uri: first?.uri, text: expect.any(String) as string },
    ]);
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain('demo://resource/dynamic/blob/{resourceId}');
    const [blob] = await use.server.readResource('demo://resource/dynamic/blob/1', never);
    expect(blob && 'bytes' in blob && Buffer.from(blob.bytes).toString()).toContain('Resource 1');
    expect(prompts.find(({ name }) => name === 'args-prompt')).toMatchObject({
      arguments: [
        { name: 'city', isRequired: true },
        { name: 'state', isRequired: false },
      ],
    });
    const { messages } = await use.server.getPrompt('args-prompt', { city: 'Paris' }, never);
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: expect.stringContaining('Paris') as string } },
    ]);
    expect(await faultOf(use.server.getPrompt('args-prompt', {}, never))).toMatchObject({
      code: 'provider',
      message: expect.stringContaining('The MCP server "everything" refused the prompt "args-prompt"') as string,
    });
    expect(await faultOf(use.server.readResource('no://such', never))).toMatchObject({ code: 'provider' });
  });

  test('sends forms and model requests to the client through the open call', async () => {
    const elicited = await use.server.call(
      'trigger-elicitation-request',
      {},
      { signal: never, onElicit: () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } }) },
    );
    expect(textOf(elicited)).toContain('"name": "Ada"');
    const sampled = await use.server.call(
      'trigger-sampling-request',
      { prompt: 'Why?', maxTokens: 5 },
      {
        signal: never,
        onSample: () => Promise.resolve({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Because' } }),
      },
    );
    expect(textOf(sampled)).toContain('Because');
  });
});

// One of them in the ordinary tests: what their processes are given is tried with the server that lies.
const CONTENT_KINDS =
  'tests/core/mcp/reference-servers.test.ts › returns text, image, structured, link and resource content in the right form';
const SERVER_PROCESS =
  'tests/core/mcp/stdio.test.ts › uses the workspace or the configured folder, and passes only few environment variables';

fullTest([CONTENT_KINDS, SERVER_PROCESS])('filesystem works in the folder that it is given', async () => {
  const folder = await folderWith({ 'a.txt': 'here' });
  const use = useOf(reference('filesystem', [folder]), folder);
  expect(await said(use, 'read_text_file', { path: join(folder, 'a.txt') })).toBe('here');
  expect(await use.server.call('read_text_file', { path: '/etc/passwd' }, { signal: never })).toMatchObject({
    isError: true,
  });
  expect((await use.server.tools(never)).find(({ name }) => name === 'read_text_file')?.hints.readOnly).toBe(true);
});

fullTest([CONTENT_KINDS, SERVER_PROCESS])('memory stores entities in the configured file', async () => {
  const folder = await folderWith();
  const file = join(folder, 'memory.jsonl');
  const server = reference('memory');
  const transport = { ...server.transport, env: { MEMORY_FILE_PATH: file } } as typeof server.transport;
  const use = useOf({ ...server, transport }, folder);
  await said(use, 'create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] });
  expect(await readFile(file, 'utf8')).toContain('Ada');
});

fullTest(CONTENT_KINDS)('sequential thinking counts its thoughts', async () => {
  const use = useOf(reference('sequential-thinking'));
  const thought = { thought: 'First', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  expect(JSON.parse(await said(use, 'sequentialthinking', thought))).toMatchObject({ thoughtHistoryLength: 1 });
});

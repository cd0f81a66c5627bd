/** Servers as they are written: whose is used, what it gets of the environment and the key store, what of it is offered. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { McpEntry, type McpEntryInput } from '#contract/mcp/mcp-entry.ts';
import { serversOf } from '#core/mcp/configured.ts';
import type { Listing } from '#core/mcp/listings.ts';
import { offerOf } from '#core/mcp/offers.ts';
import { redact } from '#core/base/redact.ts';
import { resolve } from '#core/mcp/resolve.ts';
import { folderWith } from '../../support/workspace.ts';

const JSON_FILE = '.mcp.json';
const yes = () => Promise.resolve(true);
const all = (folder: string, servers: Record<string, McpEntryInput> = {}) => {
  const entries = Object.entries(servers).map(([name, entry]) => [name, McpEntry.parse(entry)]);
  const settings = { file: 'config.toml', mcp: { servers: Object.fromEntries(entries) as Record<string, McpEntry> } };
  return serversOf(folder, { settings, trust: { trusts: yes } });
};
const own = async (name: string, entry: McpEntryInput) => (await all('/nowhere', { [name]: entry }))[0]!;
const theirs = async (entry: object) => {
  const folder = await folderWith({ [JSON_FILE]: JSON.stringify({ mcpServers: { a: entry } }) });
  return (await all(folder))[0]!;
};

describe('values in server entries', () => {
  const environment = { LEVEL: 'high', TOKEN: 't', ANTHROPIC_API_KEY: 'sk', TRIAD_HOME: '/h' };
  const secrets = {
    get: (name: string) => Promise.resolve(name === 'mcp:a:KEY' ? 'kept' : null),
    set: () => Promise.resolve(),
  };
  const filled = async (server: Awaited<ReturnType<typeof theirs>>) =>
    (await resolve(server, { environment, secrets })).transport;

  test('fills in values from the environment, the key store and defaults when the server starts', async () => {
    const args = ['--level=${LEVEL}', '${NOT_SET:-usual}'];
    const env = { K: '${TOKEN}', SECRET: '${secret:KEY}' };
    expect(await filled(await own('a', { command: 'x', args, env }))).toMatchObject({
      args: ['--level=high', 'usual'],
      env: { K: 't', SECRET: 'kept' },
    });
    const url = await own('a', { url: 'https://example.org', headers: { Authorization: 'Bearer ${secret:KEY}' } });
    expect(await filled(url)).toMatchObject({ headers: { Authorization: 'Bearer kept' } });
  });

  test('redacts the value of an environment variable that is used in a secret header', async () => {
    const server = await theirs({ url: 'https://example.org', headers: { Authorization: 'Token ${MINE}' } });
    await resolve(server, { environment: { MINE: 'words-of-mine' }, secrets });
    expect(redact('It says words-of-mine to it')).toBe('It says [redacted: known key] to it');
  });

  test.for([
    ['${NOT_SET}', 'bad_input', /needs the environment variable NOT_SET, which is not set/],
    ['${secret:OTHER}', 'bad_input', /needs the secret OTHER, and the key store has none/],
    ['${ANTHROPIC_API_KEY}', 'not_allowed', /wants the variable ANTHROPIC_API_KEY, which no other program gets/],
    ['${TRIAD_HOME:-x}', 'not_allowed', /wants the variable TRIAD_HOME/],
  ] as const)('rejects the reference %s', async ([word, code, message]) => {
    const refusal = await filled(await own('a', { command: 'x', env: { K: word } })).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) as string });
  });

  test('rejects a secret in a command line argument of a server', async () => {
    for (const word of ['--token=${TOKEN}', '${TOKEN:-x}', '--key=${secret:KEY}']) {
      const filling = filled(await own('a', { command: 'x', args: [word] }));
      await expect(filling).rejects.toThrow(
        /has the secret (TOKEN|KEY) in its arguments, which other programs can read/,
      );
    }
    // Such servers replace the reference themselves.
    const server = await own('a', { command: 'x', args: ['--header', 'A: ${TOKEN}'], env: { TOKEN: '${TOKEN}' } });
    expect(await filled(server)).toMatchObject({ args: ['--header', 'A: ${TOKEN}'], env: { TOKEN: 't' } });
  });

  test('values of the key store are not available to servers of a project', async () => {
    const server = await theirs({ command: 'x', env: { K: '${secret:KEY}' } });
    await expect(filled(server)).rejects.toThrow(
      'needs the secret KEY, and the key store has none for a project’s file',
    );
  });
});

test('redacts a key in an argument of a server', async () => {
  const { runs } = await own('a', { command: 'x', args: [`--key=sk-ant-api03-${'k'.repeat(40)}`] });
  expect(runs).toMatch(/^x "?--key=\[redacted[^\]]*\]"?$/);
});

test('uses the server of the person if a project server has its name, and lists the latter as overridden', async () => {
  const folder = await folderWith({
    [JSON_FILE]: JSON.stringify({ mcpServers: { a: { command: 'y' }, b: { command: 'z' } } }),
  });
  const found = await all(folder, { a: { command: 'x' } });
  expect(found.map(({ name, source, state, runs }) => [name, source, state, runs])).toEqual([
    ['a', 'user', 'usable', 'x'],
    ['a', 'project', 'overridden', 'y'],
    ['b', 'project', 'usable', 'z'],
  ]);
});

test('a project file can neither lower the permissions of a tool nor enable sampling', async () => {
  const server = await theirs({
    command: 'x',
    permissions: [],
    tool_permissions: { t: [] },
    sampling: true,
    tools: ['t'],
  });
  expect(server.permissionsOf('t')).toEqual(['Execute', 'NetworkAccess']);
  expect(server.sampling).toBe(false);
});

test('an unreadable project file or entry is listed as faulty', async () => {
  const folder = await folderWith({ [JSON_FILE]: '{' });
  expect(await all(folder)).toMatchObject([{ state: 'faulty', fault: expect.stringContaining('JSON') as string }]);
  await writeFile(
    join(folder, JSON_FILE),
    JSON.stringify({ mcpServers: { 'a b': { command: 'x' }, c: {}, d: { command: 'x', url: 'https://e.org' } } }),
  );
  const faults = await all(folder);
  expect(faults.map(({ state }) => state)).toEqual(['faulty', 'faulty', 'faulty']);
  expect(faults.map(({ fault }) => fault)).toEqual([
    expect.stringContaining('its name'),
    expect.stringContaining('command or url'),
    expect.stringContaining('command or url'),
  ]);
});

test('offers a run only tools known to the person, with their known descriptions', async () => {
  const tool = (name: string, description: string) => ({
    name,
    title: null,
    description,
    inputSchema: { type: 'object' },
  });
  const listing: Listing = {
    at: '',
    tools: [tool('same', 'Now'), tool('first', 'x'), tool('fresh', 'New'), tool('hidden', 'x')],
    known: { same: tool('same', 'Then'), first: tool('first', 'x'), gone: tool('gone', 'x') },
    resources: true,
  };
  const offer = offerOf(
    await own('a', { command: 'x', tools: ['same', 'f*'], tool_permissions: { same: [] } }),
    listing,
  );
  expect(offer.tools.map(({ name, description, permissions }) => [name, description, permissions])).toEqual([
    ['mcp__a__first', 'x', ['Execute', 'NetworkAccess']],
    ['mcp__a__read_resource', expect.any(String), ['Execute', 'NetworkAccess']],
    ['mcp__a__same', 'Then', []],
  ]);
});

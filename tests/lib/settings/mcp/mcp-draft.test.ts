/** What is written in the form for a new MCP server becomes an entry of the settings, and secrets stay out of it. */
import { describe, expect, it } from 'vitest';
import { methods } from '#contract/rpc.ts';
import { McpDraft } from '#lib/settings/mcp/mcp-draft.svelte.ts';

function draftOf(parts: Partial<Pick<McpDraft, 'name' | 'kind' | 'command' | 'url'>>): McpDraft {
  return Object.assign(new McpDraft(), parts);
}

describe('McpDraft', () => {
  it('builds a server with a command, its arguments and its environment', () => {
    const draft = draftOf({ name: ' files ', command: `npx -y "@a/b" '/my docs'` });
    draft.rows[0] = { name: 'API_KEY', value: 'k', secret: true };
    draft.more();
    draft.rows[1] = { name: 'MODE', value: 'read', secret: false };
    draft.more();
    const input = draft.input();
    expect(input).toEqual({
      name: 'files',
      entry: { command: 'npx', args: ['-y', '@a/b', '/my docs'], env: { API_KEY: '${secret:API_KEY}', MODE: 'read' } },
      secrets: { API_KEY: 'k' },
    });
    expect(methods['mcp.add'].input.safeParse(input).success).toBe(true);
  });

  it('builds a server with a URL and headers, and stores each secret under a valid name', () => {
    const draft = draftOf({ name: 'web', kind: 'http', url: ' https://example.com/mcp ', command: 'left over' });
    draft.rows[0] = { name: 'X-Api-Key', value: 'k', secret: true };
    draft.more();
    draft.rows[1] = { name: '2nd', value: 'l', secret: true };
    const input = draft.input();
    expect(input).toEqual({
      name: 'web',
      entry: {
        url: 'https://example.com/mcp',
        headers: { 'X-Api-Key': '${secret:X_Api_Key}', '2nd': '${secret:_2nd}' },
      },
      secrets: { X_Api_Key: 'k', _2nd: 'l' },
    });
    expect(methods['mcp.add'].input.safeParse(input).success).toBe(true);
  });

  it('reports each input error in one sentence', () => {
    const draft = draftOf({ name: 'x', command: `run 'it` });
    expect(() => draft.input()).toThrow('A quote in the command line is not closed.');
    draft.command = 'run';
    draft.rows[0] = { name: ' ', value: 'k', secret: true };
    expect(() => draft.input()).toThrow('Each value needs a name.');
    draft.rows[0] = { name: 'A', value: 'k', secret: true };
    draft.more();
    draft.rows[1] = { name: 'A ', value: 'l', secret: true };
    expect(() => draft.input()).toThrow('The name A stands there twice.');
    draft.less(0);
    expect(draft.input().secrets).toEqual({ A: 'l' });
  });

  it('stores the secrets of two headers whose names differ only in punctuation separately', () => {
    const draft = draftOf({ name: 'web', kind: 'http', url: 'https://example.com' });
    draft.rows[0] = { name: 'X-A', value: 'k', secret: true };
    draft.more();
    draft.rows[1] = { name: 'X_A', value: 'l', secret: true };
    const { entry, secrets } = draft.input();
    const keys = Object.values(entry.headers ?? {}).map((value) => /^\$\{secret:(.*)\}$/.exec(value)?.[1] ?? '');
    expect(keys.map((key) => secrets?.[key])).toEqual(['k', 'l']);
  });
});

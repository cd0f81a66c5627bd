/** What calls are called. */
import { expect, test } from 'vitest';
import { callTitle, callTool, mcpPartsOf } from '#lib/view/call-title.ts';

test.for([
  ['mcp__everything__echo', 'everything · echo', 'echo'],
  // The names of tools may have the mark of a server; those of servers may not.
  ['mcp__my_notes__a__b', 'my_notes · a__b', 'a__b'],
  ['read_file', 'read_file', 'read_file'],
  ['mcp__alone', 'mcp__alone', 'mcp__alone'],
  ['mcp____echo', 'mcp____echo', 'mcp____echo'],
  ['mcp__server__', 'mcp__server__', 'mcp__server__'],
] as const)('callTitle and callTool return the names of %s', ([name, title, tool]) => {
  expect(callTitle(name)).toBe(title);
  expect(callTool(name)).toBe(tool);
});

test('mcpPartsOf returns the server and its tool', () => {
  expect(mcpPartsOf('mcp__a-b__c')).toEqual({ server: 'a-b', tool: 'c' });
  expect(mcpPartsOf('mcp')).toBeNull();
});

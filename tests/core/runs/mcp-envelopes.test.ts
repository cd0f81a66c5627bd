/** Tools of MCP servers in envelopes: who gets which, by what it names, and what is refused. */
import { describe, expect, test } from 'vitest';
import type { AgentDefinition, Envelope } from '#contract/agent.ts';
import { canonicalHash } from '#core/base/hash.ts';
import type { ChildRequest } from '#core/tools/children.ts';
import {
  OFFERS,
  SERVER_TOOLS,
  agentsWith,
  built,
  connected,
  delegating,
  leadOf,
  serversIn,
  spawning,
  unnamed,
} from './envelope-support.ts';

describe('tools of MCP servers', () => {
  const lead = connected();
  const childOf = (parts: Partial<ChildRequest>, parent = lead, ...agents: Partial<AgentDefinition>[]): Envelope =>
    built().child(spawning(parts), parent, agentsWith(...agents));

  test('are all given to a lead that names no tools, with the details of each server', () => {
    expect(lead.tools).toEqual([...unnamed(true), ...SERVER_TOOLS].sort());
    expect(lead).toMatchObject({ mcpServers: ['a', 'b'], mcp: OFFERS });
    expect(lead.permissions).toEqual(expect.arrayContaining(['Execute', 'NetworkAccess']));
    expect(leadOf()).not.toHaveProperty('mcp');
  });

  test('are limited to the tools and whole servers that a definition names', () => {
    expect(serversIn(connected({ tools: ['mcp__a__two', 'grep'] }))).toEqual([['a', 'two']]);
    expect(serversIn(connected({ tools: ['mcp__a'] }))).toEqual([['a', 'one', 'two']]);
    expect(serversIn(connected({ tools: ['mcp__b__*', 'mcp__a__one'] }))).toEqual([
      ['a', 'one'],
      ['b', 'three'],
    ]);
    expect(serversIn(connected({ tools: ['grep'] }))).toEqual([]);
    expect(serversIn(connected({ tools: ['grep'], mcpServers: ['b'] }))).toEqual([['b', 'three']]);
    const only = connected({ mcpServers: ['b'] });
    expect(serversIn(only)).toEqual([['b', 'three']]);
    expect(only.tools).toEqual([...unnamed(true), 'mcp__b__three'].sort());
  });

  test('are rejected by name if missing, or listed as lacking in an agent of another program', () => {
    expect(() => connected({ tools: ['mcp__c__do'] })).toThrow(
      /cannot have: mcp__c__do\..* No MCP server "c" can be used here: "triad mcp list"/,
    );
    expect(() => connected({ tools: ['mcp__a__three'] })).toThrow(
      /^(?!.*No MCP server).*cannot have: mcp__a__three\. .*mcp__b__three.*write_file$/,
    );
    expect(() => connected({ mcpServers: ['c'] })).toThrow('MCP servers that it cannot have: c. This folder has: a, b');
    const lenient = connected({ tools: ['mcp__a__one', 'mcp__c__do'], lenient: true });
    expect(lenient).toMatchObject({ lacks: ['mcp__c__do'], mcpServers: ['a'] });
    const agents = { name: 'worker', tools: ['grep', 'mcp__c__do'], lenient: true as const };
    expect(built().child(delegating(), lead, agentsWith(agents))).toMatchObject({ lacks: ['mcp__c__do'] });
    const leading = { ...agents, tools: ['grep', 'spawn_agent'] };
    expect(built().child(delegating(), lead, agentsWith(leading))).toMatchObject({ lacks: ['spawn_agent'] });
  });

  test('of a sub-agent are a subset of the tools of its lead', () => {
    expect(serversIn(childOf({}))).toEqual(serversIn(lead));
    expect(serversIn(childOf({ mcpServers: ['a'] }))).toEqual([['a', 'one', 'two']]);
    expect(serversIn(childOf({ mcpServers: [] }))).toEqual([]);
    expect(serversIn(childOf({ tools: ['grep'] }))).toEqual([]);
    expect(serversIn(childOf({ tools: ['mcp__a__one'] }))).toEqual([['a', 'one']]);
    const narrow = connected({ mcpServers: ['a'], tools: ['mcp__a__one', 'spawn_agent'] });
    expect(serversIn(narrow)).toEqual([['a', 'one', 'two']]);
    expect(() => childOf({ tools: ['mcp__b__three'] }, narrow)).toThrow(/cannot have: mcp__b__three/);
    expect(() => childOf({ mcpServers: ['b'] }, narrow)).toThrow('cannot have: b. The lead has: a');
    expect(() => childOf({ agent: 'worker' }, narrow, { tools: ['mcp__b__three'] })).toThrow(/mcp__b__three/);
    const reading = childOf({ permissions: ['FilesystemRead'] });
    expect(serversIn(reading)).toEqual([]);
  });

  test('can be removed by an edit, but the details of a server cannot be changed', () => {
    const asked = childOf({});
    const edit = (parts: Partial<Envelope>) => built().edited({ ...asked, ...parts }, asked, lead).value;
    const fewer = edit({ tools: asked.tools.filter((name) => name !== 'mcp__a__one' && name !== 'mcp__b__three') });
    expect(serversIn(fewer)).toEqual([['a', 'two']]);
    expect(fewer.mcpServers).toEqual(['a']);
    expect(edit({ tools: ['grep'] })).not.toHaveProperty('mcp');
    const other = asked.mcp!.map((offer) => ({ ...offer, runs: 'rm' }));
    expect(() => edit({ mcp: other })).toThrow('mcp cannot be changed here');
    expect(() => edit({ mcpServers: [] })).toThrow('mcpServers cannot be changed here');
    expect(canonicalHash({ ...asked, mcp: other })).not.toBe(canonicalHash(asked));
  });
});

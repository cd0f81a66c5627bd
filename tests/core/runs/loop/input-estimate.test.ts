/** Input tokens of a request by its size. */
import { expect, test } from 'vitest';
import { estimatedInput } from '#core/runs/loop/request-meter.ts';
import { allTools } from '#core/tools/all-tools.ts';
import type { WireMessage } from '#core/model/model.ts';
import { ToolRegistry } from '#core/tools/registry.ts';

test('estimates tools by their current text after the maximum of sub-agents, which the text names, changes', () => {
  const registry = new ToolRegistry(allTools());
  const sizes = [1, 3, 1, 8].map((max) => {
    const tools = registry.specs(registry.offered(['spawn_agent', 'parallel_tasks'], true), max);
    const chars = tools.reduce(
      (sum, { name, description, inputSchema }) =>
        sum + name.length + description.length + JSON.stringify(inputSchema).length,
      0,
    );
    const request = { system: '', messages: [] };
    return { estimated: estimatedInput({ ...request, tools }), chars };
  });
  expect(sizes.map(({ estimated }) => estimated)).toEqual(sizes.map(({ chars }) => Math.ceil(chars / 4)));
  // Else a size that was kept for too long would go unseen.
  expect(new Set(sizes.map(({ chars }) => chars)).size).toBeGreaterThan(1);
});

test('adds the size of new messages to the provider count of the previous turn', () => {
  const says = (role: 'user' | 'assistant', length: number): WireMessage => ({
    role,
    content: [{ type: 'text', text: 'x'.repeat(length) }],
  });
  const messages = [says('user', 400), says('assistant', 80), says('user', 40)];
  const request = { system: '', tools: [], messages };
  expect(estimatedInput(request)).toBe(130);
  // Whatever it reads besides, a preamble for tools for one, is in its count.
  expect(estimatedInput(request, 1000)).toBe(1030);
  expect(estimatedInput(request, 20), 'never less than by its size').toBe(130);
});

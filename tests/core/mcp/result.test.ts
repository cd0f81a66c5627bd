/** What a server answers, as the model reads it. */
import { expect, test } from 'vitest';
import { toolResultOf } from '#core/mcp/result.ts';
import { contextIn } from '../../support/workspace.ts';

const resultOf = (structured: unknown) =>
  toolResultOf('x', { isError: false, content: [], structured }, contextIn('/'));

test('deeply nested structured content is not indented', async () => {
  let deep: unknown = Array.from({ length: 20_000 }, () => 1);
  for (let depth = 0; depth < 190; depth += 1) deep = [deep];
  const { output, metadata } = await resultOf(deep);
  expect(output).toBe(JSON.stringify(deep));
  expect(metadata).not.toHaveProperty('structured');
  expect((await resultOf({ a: 1 })).output).toBe('{\n  "a": 1\n}');
});

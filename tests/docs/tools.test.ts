/** The page on tools says what the tools say: every tool, its fields, and what is special about it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { allTools } from '#core/tools/all-tools.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/tools.md'), 'utf8');
const sections = new Map(
  page
    .split(/^### `/m)
    .slice(1)
    .map((section): [string, string] => [section.slice(0, section.indexOf('`')), section]),
);

test('the page has one section for each tool and no other section', () => {
  expect([...sections.keys()].sort()).toEqual(
    allTools()
      .map(({ name }) => name)
      .sort(),
  );
});

describe.for(allTools().map((tool) => [tool.name, tool] as const))('%s', ([name, tool]) => {
  const section = sections.get(name) ?? '';
  const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' });

  test('lists its fields and marks the optional fields', () => {
    const rows = [...section.matchAll(/^\| `(\w+)`\s*\| (\w+)\s*\| (.*) \|$/gm)];
    expect(rows.map(([, field]) => field)).toEqual(Object.keys(schema.properties ?? {}));
    const needed = rows.filter(([, , , words]) => !words?.startsWith('optional:')).map(([, field]) => field);
    expect(needed).toEqual(schema.required ?? []);
  });

  test('states its permissions, its availability, its approval and its recovery', () => {
    const facts = section.split('\n').find((line) => line.includes(' · ')) ?? '';
    const words = facts.split(' · ').map((word) => word.trim());
    expect(words[0]).toBe(
      tool.permissions.length === 0 ? 'No permission' : `Permission \`${tool.permissions.join('`, `')}\``,
    );
    expect(words.includes('baseline')).toBe(tool.baseline);
    expect(words.includes('lead only')).toBe(tool.primaryOnly);
    expect(words.some((word) => /^asks( with `\w+`)?$/.test(word))).toBe(tool.question !== undefined);
    const recovery = { repeat: 'again', unknown: 'unknown', continue: 'goes on after a crash' };
    expect(words.at(-1)).toBe(recovery[tool.recovery]);
  });
});

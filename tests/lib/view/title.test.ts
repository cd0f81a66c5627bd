// Short forms of texts that stay whole where they are cut.
import { describe, expect, it } from 'vitest';
import { fieldsLine, lineOf, previewOf, spoken, taskLine } from '#lib/view/title.ts';

const LONG = 'words that go on '.repeat(8);
const report = (start: string) => `# Report\n\n## Summary\n\n${start}`;

describe('the preview of a report', () => {
  it('contains a short summary unchanged', () => {
    expect(previewOf(report('See `src/sum.ts`.'))).toBe('See `src/sum.ts`.');
  });

  it.each([
    ['code', `${LONG.slice(0, 90)}\`src/a-long-path.ts\` and more ${LONG}`, /`src\/a-lon`…$/],
    ['code in two backticks', `${LONG.slice(0, 90)}\`\`a \` b and more\`\` ${LONG}`, /``a ` b an``…$/],
    ['strong words', `${LONG.slice(0, 90)}**very strong words** ${LONG}`, /\*\*very str\*\*…$/],
    ['the address of a link', `${LONG.slice(0, 80)}[the guide](https://example.org/guide) ${LONG}`, /the guide…$/],
    ['none of these', `a \`b\` **c** ${LONG}`, /^a `b` \*\*c\*\* words[^`*]*…$/],
  ])('closes a mark that is cut inside %s', (_, summary, end) => {
    expect(previewOf(report(summary))).toMatch(end);
  });
});

describe('one-line summaries', () => {
  it.each([
    ['**Task**: read `src/a.ts`', 'Task: read src/a.ts'],
    ['## Look *closely* at it', 'Look closely at it'],
    ['- one', 'one'],
    ['2 * 3 * 4, snake_case_name and __init__', '2 * 3 * 4, snake_case_name and init'],
    ['**', '**'],
    ['-', '-'],
  ])('omit Markdown marks unless nothing else is left: %j', (line, shown) => {
    expect(lineOf(line)).toBe(shown);
  });

  it('contain the first fields of an object report, and nothing of other reports', () => {
    expect(fieldsLine('{"verdict": "**good**", "score": 9, "notes": ["a"]}')).toBe('verdict: good · score: 9');
    expect(fieldsLine(JSON.stringify({ long: 'x'.repeat(500) }))).toMatch(/^long: x{94}…$/);
    expect(fieldsLine('# Report\n\n{"a": 1}')).toBe('');
    expect(fieldsLine('{not json')).toBe('');
  });

  it.each([
    ['**Task**: Find the `tests`.\n**Context**: none', 'Find the tests.'],
    ['**Tâche :** Trouver les tests', 'Trouver les tests'],
    ['Task: as it is', 'Task: as it is'],
  ])('contain the task of a prompt without its label: %j', (prompt, shown) => {
    expect(taskLine(prompt)).toBe(shown);
  });

  it('spoken text has no Markdown marks, also if a sentence ends inside a mark', () => {
    expect(spoken('## Found\n**Task**: I open `src/cli.js`.')).toBe('Found\nTask: I open src/cli.js.');
    expect(spoken('It is **very bad. See [the guide](https://example.org).')).toBe('It is very bad. See the guide.');
  });
});

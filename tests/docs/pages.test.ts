/** The examples of the guide are carried out and give what its pages say: the first of each page, all in the full run. */
import { describe, expect, test } from 'vitest';
import { variations } from '../support/samples.ts';
import { sharedEngine } from '../support/shared-engine.ts';
import { carryOut, exampleOf, filesOf, readPage } from './examples.ts';

const { start } = sharedEngine();

describe.for(['workflows.md', 'tools.md'])('%s', (page) => {
  const sections = readPage(page);
  const files = filesOf(sections);
  const examples = sections.flatMap((section) => {
    const example = exampleOf(section);
    return example ? [[section.title, example] as const] : [];
  });

  test('has more than five examples', () => {
    expect(examples.length).toBeGreaterThan(5);
  });

  test.for(variations(examples, 4))('%s', async ([, example]) => {
    const { said, were } = await carryOut(example, files, start);
    expect(were).toEqual(said);
  });
});

/** `triad agents list` with more agents than a prompt lists. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { inProcess } from '../../support/engine.ts';
import { machine } from '../../support/process.ts';

test('reports how many agents the prompt of a lead leaves out', async () => {
  const home = await machine(plainAnswer());
  const folder = join(home.home, 'agents');
  await mkdir(folder);
  const description = 'Reviews one module and reports what is wrong with it, in detail and with examples';
  for (let index = 0; index < 200; index += 1) {
    const text = `---\nname: helper-${index}\ndescription: ${description}\n---\nYou do it.\n`;
    await writeFile(join(folder, `helper-${index}.md`), text);
  }
  const { err } = await inProcess(home, 'memory')(['agents', 'list']);
  expect(err).toMatch(/^\d+ of 209 agents are not listed for the lead\. Name an agent/m);
});

/** The files of built-in agents are part of the program. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AgentFolders } from '#core/agents/agent-folders.ts';
import { builtinPlaces } from '#core/agents/places.ts';
import { Trust } from '#core/agents/trust.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { folderWith } from '../../support/workspace.ts';

test.for([
  ['builtin', 'are read once', 'The first text.'],
  ['user', 'are read again after a change', 'The second text.'],
] as const)('agents of the source "%s" %s', async ([source, , expected]) => {
  const text = await readFile(join(builtinPlaces()[0].folder, 'worker.md'), 'utf8');
  const head = text.slice(0, text.indexOf('---', 3) + 3);
  const folder = await folderWith({ 'worker.md': `${head}\nThe first text.\n` });
  const agents = new AgentFolders({
    tools: allTools(),
    places: [{ folder, source, dialect: 'triad' }],
    trust: new Trust(folder),
    warn: (line) => expect.fail(line),
  });
  const read = async () => (await agents.of(folder)).lookup('worker')?.systemPrompt.trim();
  expect(await read()).toBe('The first text.');
  await writeFile(join(folder, 'worker.md'), `${head}\nThe second text.\n`);
  expect(await read()).toBe(expected);
});

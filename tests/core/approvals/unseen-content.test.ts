/** Nothing is offered for longer than once whose names or content hold what cannot be seen, or deceives. */
import { expect, test } from 'vitest';
import { writeFile } from '../../support/fake-model/scenarios.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

test.for([
  ['plain text', { path: 'docs/a.md', content: 'Grüße, мир, 世界 👩‍💻\n' }, true],
  ['a name that turns around', { path: 'docs/a\u202Edm.exe', content: 'x' }, false],
  ['a letter of another script in a name', { path: 'd\u043Ecs/a.md', content: 'x' }, false],
  ['a tag in the content', { path: 'docs/a.md', content: 'x\u{E0041}' }, false],
] as const)('%s', async ([, input, offered]) => {
  const engine = await start(writeFile(input));
  await engine.ask('Write');
  expect(engine.of('approval-request').map(({ approval }) => approval.grant !== undefined)).toEqual([offered]);
});

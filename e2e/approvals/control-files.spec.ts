/** A command changes files that start programs: the person reads them, keeps them or puts them back. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findSandbox } from '#core/workspace/shell/sandbox.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const sandbox = await findSandbox(process.env);
const SERVERS = '{"mcpServers":{"files":{"command":"node","args":["tools/server.js"]}}}';
const plant = (folder: string, name: string) =>
  toolUse('bash', {
    command: `mkdir -p ${folder}/.git/hooks; echo 'make build' > ${folder}/.git/hooks/${name}; echo '${SERVERS}' > .mcp.json`,
  });

test(
  'changes to files that can start programs are shown, reverted after a rejection and preserved after an approval',
  fullSpec([
    'tests/security/control-files.test.ts › are restored after a rejection, and git then starts no planted program',
    'tests/security/control-files.test.ts › are kept after approval, without a second question',
  ]),
  async ({ start }) => {
    test.skip(sandbox === null, 'this machine has no sandbox');
    const script = new Script()
      .on({ step: 1 })
      .reply([plant('sub', 'post-checkout')])
      .on({ step: 2 })
      .reply([plant('lib', 'pre-commit')])
      .on({})
      .reply([text('Done.')]);
    const app = await start(script);
    const title = app.question.getByRole('heading', { level: 2 });
    await app.send('Set it up.');
    await app.allow();
    await expect(title).toContainText('Keep the changes to 2 files that can start programs?');
    await expect(app.question).toContainText('.mcp.json');
    await expect(app.question.getByRole('group', { name: 'sub/.git/hooks/post-checkout' })).toHaveText('make build');
    await expect(app.question).toContainText('can start programs');
    await expectAccessible(app.page, 'changed control files');
    await app.question.getByRole('button', { name: 'Put back…' }).click();
    await app.question.getByRole('button', { name: 'Put back', exact: true }).click();
    await app.allow();
    await expect(title).toContainText('Keep the changes to 2 files');
    expect(await readdir(join(app.workspace, 'sub/.git/hooks'))).toEqual([]);
    await app.question.getByRole('button', { name: /Keep changes/ }).click();
    await app.expectOutcome('completed');
    expect(await readFile(join(app.workspace, '.mcp.json'), 'utf8')).toBe(`${SERVERS}\n`);
    await app.call('bash').first().click();
    await expect(app.workflow().getByLabel('Output', { exact: true }).first()).toContainText(
      'put back as before the command: .mcp.json, sub/.git/hooks/post-checkout',
    );
  },
);

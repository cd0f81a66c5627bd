/** A person signs in to a server over the program's own methods, and what that means for runs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Attention } from '#contract/view.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { browse, startSignInSite } from '../../support/web/sign-in-site.ts';
import { folderWith } from '../../support/workspace.ts';

const NEEDED = 'The MCP server "web" needs sign-in: triad mcp login web';
const call = toolUse('mcp__web__work', {});
const script = () =>
  new Script()
    .step([call])
    .step([text('Done.')])
    .step([call])
    .step([text('Could not.')]);

const stateOf = async ({ runtime }: Harness) => (await runtime.request('mcp.list', {}))[0]?.signIn;
const faultOf = async ({ runtime }: Harness) => (await runtime.request('mcp.test', { name: 'web' })).error;
const login = async ({ runtime }: Harness) => browse((await runtime.request('mcp.login', { name: 'web' })).url);

test('runs use the sign-in of the person until a token is refused, and signing out revokes the sign-in', async () => {
  const site = await startSignInSite();
  const settings = `[mcp.servers.web]\nurl = "${site.url}"\n`;
  const configFolder = await folderWith({ 'config.toml': settings });
  const stored = new Map<string, string>();
  const secrets = {
    place: { backend: 'memory', warning: null },
    get: async (name: string) => stored.get(name) ?? null,
    set: async (name: string, value: string | null) =>
      void (value === null ? stored.delete(name) : stored.set(name, value)),
  };
  const options = { settings, configFolder, secrets };
  const engine = await startEngine(script(), options);

  let signIns: Attention['signIns'];
  await engine.runtime.subscribe('attention', { canAnswer: false }, (state) => (signIns = state.signIns));
  expect([await stateOf(engine), site.seen]).toEqual(['none', []]);
  expect(await faultOf(engine)).toBe(NEEDED);
  expect(await stateOf(engine)).toBe('out');
  await eventually(() => expect(signIns).toMatchObject([{ server: 'web' }]));
  expect(await login(engine)).toContain('You are signed in');
  await eventually(() => expect(signIns).toEqual([]));
  expect([await stateOf(engine), await faultOf(engine)]).toEqual(['in', null]);

  await engine.ask('Work');
  expect(engine.of('tool-end')[0]?.entry).toMatchObject({
    status: 'completed',
    output: expect.stringMatching(/^you sent/) as string,
  });
  [site.access, site.deny] = ['another', 'refresh'];
  await engine.ask('Work again');
  expect(engine.of('tool-end')[1]?.entry).toMatchObject({
    status: 'error',
    output: NEEDED,
  });
  expect(await stateOf(engine)).toBe('out');
  await eventually(() => expect(signIns).toMatchObject([{ server: 'web' }]));
  await login(engine);
  const shown = JSON.stringify([engine.events, await engine.runtime.request('mcp.list', {})]);
  const { url } = await engine.runtime.request('mcp.login', { name: 'web' });
  await engine.runtime.close();
  expect([...stored.keys()].join()).toContain('mcp:web');
  await expect(browse(url)).rejects.toThrow();

  const later = await startEngine(new Script(), options);
  expect([await stateOf(later), await faultOf(later)]).toEqual(['in', null]);
  const out = await later.runtime.request('mcp.logout', { name: 'web' });
  expect([out.signIn, site.seen.at(-1)?.path]).toEqual(['out', '/revoke']);
  expect(await faultOf(later)).toBe(NEEDED);
  await login(later);
  await later.runtime.request('mcp.remove', { name: 'web' });
  expect([...stored]).toEqual([]);
  for (const file of await readdir(configFolder))
    expect(await readFile(join(configFolder, file), 'utf8')).not.toMatch(/access-|refresh-|mcp:web/);
  expect(site.secrets.length).toBe(6);
  for (const secret of site.secrets) expect(shown).not.toContain(secret);
});

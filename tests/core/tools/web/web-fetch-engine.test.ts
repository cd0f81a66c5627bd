/** web_fetch through the engine: it asks, rules decide by address, and only who has the network has it. */
import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { type Harness, startEngine } from '../../../support/engine.ts';
import { CHILD, LEAD, reportOf, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { folderWith } from '../../../support/workspace.ts';
import { type WebServer, webServer } from '../../../support/web/web-server.ts';

const fetches = (...urls: string[]): Script => {
  const script = new Script();
  for (const url of urls) script.step([toolUse('web_fetch', { url })]);
  return script.step([text('Done.')]);
};

const page: RequestListener = ({ url }, response) => response.end(`This is ${url}`);

/** Runs the script beside a web server that may be reached, with these rules. */
async function run(script: Script, { host }: WebServer, rules = '', more: Parameters<typeof startEngine>[1] = {}) {
  const settings = `web.private_hosts = ["${host}"]\n${rules}`;
  const configFolder = await folderWith({ 'config.toml': settings });
  const engine = await startEngine(script, { settings, configFolder, ...more });
  await engine.ask('Go');
  return engine;
}

const rule = (effect: string, pattern: string): string =>
  `[[permissions.rules]]\neffect = "${effect}"\ntool = "web_fetch"\npattern = "${pattern}"\n`;

const results = (engine: Harness) => engine.of('tool-end').map(({ entry }) => [entry.status, entry.output]);
/** What the person was asked, not what a rule has answered. */
const asked = (engine: Harness) => {
  const decided = engine.of('approval-decide').filter(({ decision }) => decision.decidedBy === 'person');
  const ids = new Set(decided.map(({ approvalId }) => approvalId));
  return engine.of('approval-request').flatMap(({ approval }) => (ids.has(approval.id) ? [approval] : []));
};

test('requires one approval that names the address', async () => {
  const server = await webServer(page);
  const engine = await run(fetches(`${server.url}a#b`), server);
  expect(asked(engine)).toEqual([
    expect.objectContaining({ title: `Read ${server.url}a`, risk: 'medium', reversible: true }),
  ]);
  expect(asked(engine)[0]?.grant).toMatchObject({ tool: 'web_fetch', pattern: `${server.url}a` });
  expect(results(engine)).toEqual([['completed', expect.stringMatching(/This is \/a$/)]]);
});

test('sends no request if the person rejects the call', async () => {
  const server = await webServer(page);
  const engine = await run(fetches(server.url), server, '', { person: () => ({ kind: 'reject', reason: 'No' }) });
  expect([results(engine)[0]?.[0], server.connections]).toEqual(['error', 0]);
});

// The time is shorter than the tool waits for an answer.
test('stopping the workflow closes the connection at once and cancels the call', { timeout: 15_000 }, async () => {
  const [reached, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = await webServer((_, response) => {
    response.on('close', () => closed.resolve());
    reached.resolve();
  });
  const settings = `web.private_hosts = ["${server.host}"]\n`;
  const engine = await startEngine(fetches(server.url), { settings });
  const { workflowId } = await engine.send('Go');
  await reached.promise;
  expect(await engine.runtime.request('workflow.stop', { workflowId })).toMatchObject({ tools: 1, left: 0 });
  await closed.promise;
  expect((await engine.ended(workflowId)).outcome).toBe('cancelled');
  expect(results(engine).map(([status]) => status)).toEqual(['cancelled']);
});

test('an allow rule allows only addresses that match its pattern, and an exact address not with a query', async () => {
  const server = await webServer(page);
  const paths = ['docs/a/b', 'docs/?q=secret', 'other', 'docs/../other', 'a', 'a?tell=secret'];
  const rules = rule('allow', `${server.url}docs/*`) + rule('allow', `${server.url}a`);
  const engine = await run(fetches(...paths.map((path) => server.url + path)), server, rules);
  const titles = ['other', 'other', 'a?tell=secret'].map((path) => `Read ${server.url}${path}`);
  expect(asked(engine).map(({ title }) => title)).toEqual(titles);
  expect(results(engine).map(([status]) => status)).toEqual(Array(6).fill('completed'));
});

test('a deny rule applies to every spelling of an address and to redirects', async () => {
  const server = await webServer(({ url }, response) =>
    url === '/way' ? response.writeHead(302, { location: '/private/x?y' }).end() : response.end(`This is ${url}`),
  );
  const urls = ['private/x', 'privat%65/x', 'PRIVATE/x?y=1', 'a/../private/', 'way'].map((path) => server.url + path);
  const rules = rule('allow', `${server.url}*`) + rule('deny', '*/private/*');
  const engine = await run(fetches(...urls), server, rules);
  expect(asked(engine)).toEqual([]);
  const all = results(engine);
  expect(all.slice(0, 4).map(([status]) => status)).toEqual(Array(4).fill('error'));
  expect(all[4]?.[1]).toMatch(
    /redirects \(302\) to \S+\/private\/x\?y, which was not followed, because a rule is about/,
  );
  expect(server.connections).toBe(1);
});

test('a deny rule for NetworkAccess denies web_fetch', async () => {
  const server = await webServer(page);
  const rules = '[[permissions.rules]]\neffect = "deny"\npermission = "NetworkAccess"\n';
  const engine = await run(fetches(server.url), server, rules);
  expect([asked(engine), results(engine)[0]?.[0], server.connections]).toEqual([[], 'error', 0]);
});

test('a long page is shortened, and read_output returns its other lines', async () => {
  const lines = Array.from({ length: 6000 }, (_, line) => `Line ${line} of the page`);
  const server = await webServer((_, response) => response.end(lines.join('\n')));
  const script = new Script()
    .step([toolUse('web_fetch', { url: server.url }, { id: 'long' })])
    .step([toolUse('read_output', { call: 'long', offset: 3000, limit: 1 })])
    .step([text('Done.')]);
  const [[, first], [, second]] = results(await run(script, server)) as [string[], string[]];
  expect(first).toMatch(/read_output \{"call":"long","offset":\d+\} gives them/);
  expect(second).toMatch(/^Line 2997 of the page$/m);
});

test('a sub-agent gets web_fetch only if its settings name the tool', async () => {
  const server = await webServer(page);
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([
      spawn({ name: 'reader', prompt: 'Read.', tools: ['read_file'] }),
      spawn({ name: 'surfer', prompt: 'Surf.', tools: ['web_fetch'] }),
    ])
    .on({ ...CHILD, prompt: /Read/ })
    .reply([text(reportOf('reader'))])
    .on({ ...CHILD, prompt: /Surf/ })
    .reply([text(reportOf('surfer'))])
    .on({})
    .reply([text('Done.')]);
  const engine = await run(script, server);
  const offered = (prompt: string) => engine.model.requests.find(({ seen }) => seen.prompt === prompt)?.seen.tools;
  expect(offered('Read.')).not.toContain('web_fetch');
  expect(offered('Surf.')).toContain('web_fetch');
});

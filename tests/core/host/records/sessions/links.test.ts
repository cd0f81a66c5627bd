/** The links of a session's folder: each leads to a page, and from each page of a run there is a way back. */
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import type { RunRow } from '#contract/view.ts';
import { agentFileOf } from '#core/host/records/sessions/names.ts';
import { type Person, withAgents, yes } from '../../../../support/compose.ts';
import { definitionOf } from '../../../../support/envelope.ts';
import { type Harness, startEngine } from '../../../../support/engine.ts';
import { delegateTo, LEAD, spawn } from '../../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../../support/fake-model/script.ts';
import { CHAIN, chainScript } from '../../../../support/flows/chains.ts';
import { before, done, pair, PAIR, pairOf } from '../../../../support/flows/flows.ts';
import { fieldsOf, filesBelow } from '../../../../support/session-files.ts';
import { folderWith } from '../../../../support/workspace.ts';

/** Would be a link, a heading, a fold, code and the end of a table cell, in the places that take it as it is. */
const ODD = '[[elsewhere]] | "odd" #1 ^a </details> `b` 🙂\n[[other|x]]';
const REPORT = 'See [[nowhere]].\n\n```sh\nif [[ -f a ]]; then b; fi\n```\n';

const tasks = ['one', 'two'].map((part) => ({ agent_id: 'helper', prompt: `Look at ${part} ${ODD}`, reason: ODD }));

/** First message: a temporary agent, a chain, a composition and one more than may be started. Second: two at once, and a no. */
function script(): Script {
  const lead = new Script();
  const first = { ...LEAD, where: ({ asked }: { asked: string }) => !asked.includes('Again') };
  const second = { ...LEAD, asked: /Again/ };
  lead
    .on({ ...first, step: 1 })
    .reply([
      text(`I start three. ${ODD}`),
      spawn({ name: 'odd one', prompt: ODD, reason: ODD }),
      delegateTo('research', 'Find facts.'),
      delegateTo(PAIR, 'Write the page.'),
    ]);
  lead.on({ ...first, step: 2 }).reply([spawn({ name: 'fourth', prompt: 'Too many.' })]);
  lead.on(first).reply([text(`All is done. ${ODD}`)]);
  lead
    .on({ ...second, step: 1 })
    .reply([
      toolUse('parallel_tasks', { operation: 'execute_batch', tasks }),
      spawn({ name: 'refused', prompt: 'Do not.', reason: 'refuse this one' }),
    ]);
  lead.on(second).reply([text('Done again.')]);
  lead.on({ system: /You help/ }).reply([text(REPORT)]);
  lead.on({ system: /You are odd one/, step: 1 }).reply([toolUse('read_file', { path: '[[missing]].md' })]);
  lead.on({ system: /You are odd one/ }).reply([text(REPORT)]);
  return before(
    before(chainScript(), pair(['First.', 'Second.'], { First: 'No title.', Second: done('Good.') })),
    lead,
  );
}

const refuseOne: Person = (approval, item) => {
  const { subject } = approval.request;
  const isRefused = subject.kind === 'envelopes' && subject.items[item]?.envelope.agent === 'refused';
  return isRefused ? { kind: 'reject', reason: `Not now.\n${ODD}` } : yes(approval, item);
};

interface Pages {
  /** By the path that a link has, `FOLDER/NAME`. */
  texts: Map<string, string>;
  /** Targets of every `[[…]]` that is not escaped, and not in a block of code, by page. */
  links: Map<string, string[]>;
  runs: RunRow[];
  getPage: (run: Pick<RunRow, 'agent' | 'id'>) => string;
  sessionPage: string;
}

async function readPages({ runtime, conversationId, store }: Harness): Promise<Pages> {
  const { folder } = await runtime.request('conversation.project', { conversationId });
  const name = basename(folder);
  const files = Object.entries(await filesBelow(dirname(folder))).filter(([file]) => file.endsWith('.md'));
  const texts = new Map(files.map(([file, content]) => [file.slice(0, -'.md'.length), content]));
  const links = new Map([...texts].map(([page, content]) => [page, linkTargets(content)]));
  const { items } = await store.workflows({ conversationId, limit: 10 });
  const runs = await store.runsOf(items.map(({ id }) => id));
  const getPage: Pages['getPage'] = (run) => `${name}/${agentFileOf(run).slice(0, -'.md'.length)}`;
  return { texts, links, runs, getPage, sessionPage: `${name}/session` };
}

function linkTargets(content: string): string[] {
  const prose = content.replace(/^(> )?(`{3,})[^`]*\n[\s\S]*?^\1\2`*$/gm, '');
  return [...prose.matchAll(/\[\[([^\]|]*)/g)].map(([, target = '']) => target);
}

async function startWork(): Promise<Harness> {
  const engine = await startEngine(script(), { data: await folderWith({}), person: refuseOne });
  const helper = definitionOf({ name: 'helper', systemPrompt: 'You help.' });
  withAgents(engine.agents, [...CHAIN, ...pairOf({ flow: { type: 'judge' }, as: 'sub' }), helper], engine.folder);
  await engine.ask(ODD);
  await engine.ask('Again');
  return engine;
}

test('every link leads to a page, and parent and child link to each other, whatever the titles and texts are', async () => {
  const engine = await startWork();
  const { texts, links, runs, getPage, sessionPage } = await readPages(engine);
  expect(runs.map(({ kind, agent }) => `${kind} ${agent}`).sort()).toEqual(
    [
      ...['lead lead', 'spawn odd one', 'delegate research', 'chain draft', 'chain polish'],
      ...['delegate pair', 'coagent checker', 'coagent checker'],
      ...['lead lead', 'parallel helper', 'parallel helper', 'spawn refused'],
    ].sort(),
  );
  const broken = [...links].flatMap(([page, targets]) =>
    targets.filter((to) => !texts.has(to)).map((to) => [page, to]),
  );
  expect(broken).toEqual([]);
  expect(texts.size).toBe(1 + runs.filter(({ kind }) => kind !== 'lead').length);
  for (const run of runs) {
    if (run.kind === 'lead') continue;
    const above = runs.find(({ id }) => id === run.parentRunId)!;
    const [page, parent] = [getPage(run), above.kind === 'lead' ? sessionPage : getPage(above)];
    expect(links.get(parent), `${run.agent} from its parent`).toContain(page);
    expect(links.get(page), `${run.agent} to its parent`).toContain(parent);
    expect(links.get(page), `${run.agent} to its session`).toContain(sessionPage);
    expect(fieldsOf(texts.get(page)!)).toMatchObject({ title: run.title, run_id: run.id });
  }
  expect(fieldsOf(texts.get(sessionPage)!)).toMatchObject({
    title: expect.stringContaining('[[elsewhere]]') as string,
  });
});

test('steps show each call with its outcome, and the session shows refused sub-agents with their reason', async () => {
  const engine = await startWork();
  const { texts, runs, getPage, sessionPage } = await readPages(engine);
  const session = texts.get(sessionPage)!;
  expect(session).toMatch(/- `spawn_agent` `\{"operation":"spawn",.*`: refused, [\d.]+ s: The maximum of sub-agents/);
  expect(session).toMatch(
    /\|refused\]\], spawn, refuse this one: rejected, .* tokens: Rejected by the person: Not now\.\n/,
  );
  const odd = texts.get(getPage(runs.find(({ agent }) => agent === 'odd one')!))!;
  expect(odd).toMatch(
    /## Steps\n\n### Step 1\n\n- `read_file` `\{"path":"\[\\u005bmissing\]\]\.md"\}`: error, [\d.]+ s: \S/,
  );
  // A report keeps its code as it is.
  expect(odd).toContain('> See \\[\\[nowhere]].\n>\n> ```sh\n> if [[ -f a ]]; then b; fi\n> ```');
});

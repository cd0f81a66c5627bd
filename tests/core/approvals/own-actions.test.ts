/** What the approval of a sub-agent says of its own actions is what then happens. */
import { expect, test } from 'vitest';
import type { ApprovePolicy, ApprovalMode } from '#contract/agent.ts';
import { sentenceOf } from '#contract/approvals/phrases.ts';
import { ownActionsText } from '#contract/own-actions-text.ts';
import { startEngine } from '../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const RULE = '[[permissions.rules]]\neffect = "allow"\ntool = "write_file"\npattern = "docs/**"\n';
const FIRST = 'Each of its own actions that writes a file or reaches out will be asked about first.';

interface Situation {
  mode?: ApprovalMode;
  rules?: string;
  project?: string;
  tools?: string[];
  approve?: ApprovePolicy;
}

/** What is said of a sub-agent that makes a file, replaces one and makes one that steers programs, and which of them are asked. */
async function approval({ mode = 'manual', rules = '', project, tools, approve }: Situation) {
  const paths = ['docs/new.md', 'README.md', 'package.json'];
  const script = new Script();
  script.on({ ...LEAD, step: 1 }).reply([spawn({ name: 'scout', prompt: 'Write.', ...(tools ? { tools } : {}) })]);
  script.on({ ...CHILD, step: 1 }).reply(paths.map((path) => toolUse('write_file', { path, content: 'x' })));
  script.on({}).reply([text('Done.')]);
  const toml = `[permissions]\nmode = "${mode}"\n${rules}`;
  const files = { 'README.md': '# Here\n', ...(project ? { '.triad/config.toml': project } : {}) };
  const own = async () => ({ configFolder: await folderWith({ 'config.toml': toml }), settings: toml, files });
  // Its rules are read from the file whenever they are asked, its mode is not.
  const engine = await (mode === 'manual' ? start(script, { rules: toml, files }) : startEngine(script, await own()));
  await engine.ask('Start', approve);
  const requests = engine.of('approval-request').map(({ approval: request }) => request);
  const [item] = requests.flatMap(({ subject }) => (subject.kind === 'envelopes' ? subject.items : []));
  const people = engine.of('approval-decide').filter(({ decision }) => decision.decidedBy === 'person');
  const asked = requests
    .filter(({ id, subject }) => subject.kind === 'tool' && people.some(({ approvalId }) => approvalId === id))
    .map(({ subject }) => (subject.kind === 'tool' ? subject.preview?.path : null));
  return { said: ownActionsText(item!, item!.envelope), phrases: item!.ownActions?.says?.byMode[mode], asked };
}

const STEERING = 'Files that run code or steer programs are asked about unless a rule or a grant names them.';

test('the mode manual requires approval for each write', async () => {
  const { said, phrases, asked } = await approval({});
  expect(said).toBe(`${FIRST} ${STEERING}`);
  expect(phrases?.map(sentenceOf)).toEqual([FIRST, STEERING].map((sentence) => sentence.slice(0, -1)));
  expect(asked).toEqual(['docs/new.md', 'README.md', 'package.json']);
});

test('the mode selective requires approval for replacing a file or writing a control file, but not for a new file', async () => {
  const { said, asked } = await approval({ mode: 'selective' });
  expect(said).toBe(
    `Of its own actions, those of low risk, such as making a new file, will not be asked about; the others will. ${STEERING}`,
  );
  expect(asked).toEqual(['README.md', 'package.json']);
});

test('the mode auto requires approval only for a control file', async () => {
  const { said, asked } = await approval({ mode: 'auto' });
  expect(said).toBe(
    `Its own actions will not be asked about where they can be undone, or where it says so of a plan in its own words. ${STEERING}`,
  );
  expect(asked).toEqual(['package.json']);
});

test('a rule that allows is named with its location, and the precedence of rules is explained', async () => {
  const { said, asked } = await approval({ rules: RULE });
  expect(said).toMatch(
    /^Each of its own actions .* What was decided before goes before that \(denying first, .*\): Your rule allows the tool write_file on docs\/\*\* for all agents \(.*config\.toml:3\)\. Files that run code/,
  );
  expect(asked).toEqual(['README.md', 'package.json']);
});

test('a rule of an untrusted project allows nothing and is not mentioned', async () => {
  const { said, asked } = await approval({ project: RULE });
  expect(said).toBe(`${FIRST} ${STEERING}`);
  expect(asked).toEqual(['docs/new.md', 'README.md', 'package.json']);
});

test('rules about writing are not mentioned for an agent without such tools; the policy all requires no approval', async () => {
  expect((await approval({ tools: ['grep'], rules: RULE })).said).toBe(
    'It has no tool that writes files or reaches out.',
  );
  const { said, asked } = await approval({ approve: 'all' });
  expect(said).toContain('nothing will be asked');
  expect(asked).toEqual([]);
});

// The page of parts shows every component that several pages share: one that is not there is here, with a reason.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const LIB = 'src/lib';
const PAGE = 'src/routes/parts';

/** Rooms of which each component belongs to one page, which is looked at as a page (`e2e/screenshots.ts`). */
const PAGES = ['agents', 'changes', 'chat', 'history', 'mcp', 'permissions', 'settings', 'shell'];

const NOT_SHOWN: Readonly<Record<string, readonly string[]>> = {
  'stands in a question, which is looked at whole, with what it is about': [
    ...[
      ...['action-form', 'approval-answer', 'approval-grant', 'approval-header', 'approval-modal', 'approval-subject'],
      ...['arguments-box', 'ask-back', 'choice-list', 'command-parts', 'key-hint', 'limit-form', 'limit-stop'],
      ...['mcp-subject', 'passage', 'question-json', 'reject-form', 'reply-form', 'spawn-decision', 'text-box'],
      ...['told-text', 'tool-decision', 'tool-form'],
      ...['agent-fields', 'envelope-form', 'model-field', 'provider-field', 'served-form'].map(
        (name) => `envelope/${name}`,
      ),
    ].map((name) => `approvals/${name}`),
    ...['envelope-facts', 'exchange-list', 'foreign-words', 'mcp-offers', 'output-form', 'pattern-field'].map(inParts),
    ...['control-file-list', 'serving-agents', 'serving-box', 'serving-detail', 'verdict-view'].map(inParts),
    inParts('why-decided'),
    ...['ui/name-list', 'ui/unseen-list'],
  ],
  'is a page, or the frame of one': [
    ...['approvals/inbox-page', 'approvals/recent-answer-list', 'approvals/waiting-work', 'parts/page-header'],
    ...['runs/lead-chain', 'runs/lead-transcript', 'runs/stage/lanes', 'runs/stage/stage', 'ui/virtual-list'],
  ],
  'asks the program, and is empty without its answer': [
    ...['folder-choice', 'folder-field', 'lead-preview', 'session-folder', 'trust-dialog'].map(inParts),
    ...['trust-file', 'unlisted-note', 'grant-row', 'composer/lead-picker'].map(inParts),
    ...['runs/again/again-line', 'runs/missing-note', 'runs/workflow-actions'],
  ],
};

function inParts(name: string): string {
  return `parts/${name}`;
}

/** All files that the page of parts is made of. */
function shownFiles(): Set<string> {
  const seen = new Set<string>();
  const go = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/ from '([^']+\.(?:svelte|ts))'/g)) {
      if (from.startsWith('#lib/')) go(join(LIB, from.slice('#lib/'.length)));
      else if (from.startsWith('.')) go(join(dirname(file), from));
    }
  };
  for (const name of readdirSync(PAGE)) go(join(PAGE, name));
  return seen;
}

it('every shared component is on the page of parts, or listed here with why it is not', () => {
  const shown = shownFiles();
  const missing = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.svelte') && !shown.has(join(LIB, name)))
    .map((name) => name.replaceAll('\\', '/').slice(0, -'.svelte'.length))
    .filter((name) => !PAGES.includes(name.split('/')[0] ?? ''));
  expect(missing.sort()).toEqual(Object.values(NOT_SHOWN).flat().sort());
});

it('of the pages it shows what is too rare, or too short, to be met there', () => {
  const shown = [...shownFiles()].map((file) => file.replaceAll('\\', '/').slice(`${LIB}/`.length));
  const wanted = ['history/timeline/timeline', 'history/chart/usage-plot', 'shell/rail-row', 'ui/side-panel'];
  expect(shown).toEqual(expect.arrayContaining(wanted.map((name) => `${name}.svelte`)));
});

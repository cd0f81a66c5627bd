// The component gallery shows every component that several pages share: one that is not there is here, with a reason.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const LIB = 'src/lib';
const GALLERY = 'e2e/gallery';

/** Folders of which each component belongs to one page, which is looked at as a page (`e2e/screenshots.ts`). */
const PAGES = ['agents', 'approvals/rules', 'changes', 'chat', 'history', 'settings', 'shell'];

const inFolder = (folder: string, names: string): string[] => names.split(' ').map((name) => `${folder}/${name}`);

const NOT_SHOWN: Readonly<Record<string, readonly string[]>> = {
  'is part of a question, which is looked at whole, with its subject': [
    ...inFolder('approvals', 'action-form approval-answer approval-grant approval-header approval-modal'),
    ...inFolder('approvals', 'approval-subject arguments-box ask-back choice-list command-parts control-file-list'),
    ...inFolder('approvals', 'key-hint limit-form mcp-subject passage question-json reject-form'),
    ...inFolder('approvals', 'reply-form spawn-decision text-box told-text tool-decision tool-form why-decided'),
    ...inFolder('approvals/envelope', 'agent-fields envelope-facts envelope-form exchange-list mcp-offers model-field'),
    ...inFolder('approvals/envelope', 'output-form provider-field served-form serving-agents serving-detail'),
    ...inFolder('ui', 'foreign-words name-list unseen-list'),
  ],
  'is a page, or the frame of one': [
    ...inFolder('approvals', 'inbox-page recent-answer-list waiting-work'),
    ...inFolder('runs', 'lead-transcript stage/lanes stage/stage'),
    ...['app/page-header', 'ui/scrolling/virtual-list'],
  ],
  'asks the program, and is empty without its answer': [
    ...inFolder('app', 'folder-field unlisted-note trust/folder-choice trust/trust-dialog trust/trust-file'),
    ...inFolder('runs', 'again/again-line missing-note workflow-actions'),
  ],
};

/** All files that the gallery is made of. */
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
  for (const name of readdirSync(GALLERY)) go(join(GALLERY, name));
  return seen;
}

it('shows every shared component, except those listed with a reason', () => {
  const shown = shownFiles();
  const missing = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.svelte') && !shown.has(join(LIB, name)))
    .map((name) => name.replaceAll('\\', '/').slice(0, -'.svelte'.length))
    .filter((name) => !PAGES.some((folder) => name.startsWith(`${folder}/`)));
  expect(missing.sort()).toEqual(Object.values(NOT_SHOWN).flat().sort());
});

it('shows selected components that their pages rarely show', () => {
  const shown = [...shownFiles()].map((file) => file.replaceAll('\\', '/').slice(`${LIB}/`.length));
  const wanted = ['history/timeline/timeline', 'history/chart/usage-plot', 'shell/rail-row', 'ui/side-panel'];
  expect(shown).toEqual(expect.arrayContaining(wanted.map((name) => `${name}.svelte`)));
});

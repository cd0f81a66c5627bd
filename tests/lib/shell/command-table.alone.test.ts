// One table of commands: all that has keys or a name behind `/` is found in the palette, and some page can do it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { Commands } from '#lib/app/commands.svelte.ts';
import { slashCommands } from '#lib/chat/composer/suggestions.ts';
import { Palette } from '#lib/shell/palette-findings.svelte.ts';
import { COMMAND_IDS, slashOf } from '#lib/view/shell/command-table.ts';
import { createPartialApp } from '../support/partial-app.ts';
import { FakeConnection } from '../support/fake-connection.ts';
import { storage } from '../support/storage.ts';

const LIB = 'src/lib';
const sources = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(svelte|ts)$/.test(name))
  .map((name) => ({ name: name.replaceAll('\\', '/'), text: readFileSync(join(LIB, name), 'utf8') }));

/** Where Ctrl is looked at all the same, and why. */
const KNOWS_CTRL = [
  // The shortcuts themselves, as they are pressed.
  ...['app/commands.svelte.ts', 'view/shell/keys.ts'],
  // Keys without it: with it they are none of theirs.
  ...['ui/scrolling/virtual-list.svelte', 'approvals/question-list.svelte', 'chat/composer/composer.svelte'],
  ...['history/timeline/timeline.svelte', 'history/replay/player-keys.ts'],
  // With a wheel, and with a press of the mouse.
  ...['history/timeline/pan.ts', 'shell/rail-list.svelte'],
];

beforeEach(() => {
  vi.stubGlobal('localStorage', storage());
  return () => void vi.unstubAllGlobals();
});

/** With a way to do everything, or nothing. */
function commandsWith(given: string[], ids = COMMAND_IDS): Commands {
  const commands = new Commands(false);
  commands.offer(Object.fromEntries(ids.map((id) => [id, () => given.push(id)])));
  return commands;
}

it('the palette shows every command with its keys and its slash name', () => {
  const app = { connection: new FakeConnection(), conversations: { items: [] }, rail: { active: null } };
  const commands = commandsWith([]);
  const items = new Palette(createPartialApp(app), commands).findings.flatMap((group) => group.items);
  const shown = items.map(({ to, keys, detail }) => ('command' in to ? [to.command, keys, detail] : []));
  const wanted = COMMAND_IDS.filter((id) => id !== 'palette').map((id) => {
    const slash = slashOf(id);
    return [id, commands.keysOf(id), slash === null ? '' : `/${slash}`];
  });
  expect(shown.sort()).toEqual(wanted.sort());
});

it('slash commands run the commands of the palette, and are disabled if unavailable', () => {
  const given: string[] = [];
  for (const { run } of slashCommands(commandsWith(given))) run?.();
  expect(given).toEqual(COMMAND_IDS.filter((id) => slashOf(id) !== null));
  expect(slashCommands(commandsWith([], [])).every(({ run }) => run === null)).toBe(true);
});

/** What is offered: between the brackets of a call, and in the function whose result a page offers. */
function offersIn(text: string): string[] {
  const calls = [...text.matchAll(/commands\.offer\(/g)].map(({ index }) => {
    let depth = 0;
    const from = index + 'commands.offer'.length;
    const end = [...text.slice(from)].findIndex((sign) => {
      depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
      return depth === 0;
    });
    return text.slice(from, from + end);
  });
  const made = [...text.matchAll(/\): Partial<Record<CommandId[^\n]*\n([\s\S]*?)\n\}/g)].map(([, body]) => body ?? '');
  return [...calls, ...made];
}

it('every command is offered by a page or component', () => {
  const offers = sources.flatMap(({ text }) => offersIn(text)).join('\n');
  const given = (id: string) => new RegExp(`\\b${id}: (\\(\\) =>|chat\\.)|^ +${id},$`, 'm');
  expect(COMMAND_IDS.filter((id) => !given(id).test(offers))).toEqual([]);
});

// Shortcuts that only a page of its own knows would be in no list.
it('no page handles Ctrl shortcuts outside the command table, except the listed files', () => {
  const own = sources.filter(({ text }) => /ctrlKey|metaKey|getModifierState/.test(text)).map(({ name }) => name);
  expect(own.sort()).toEqual(KNOWS_CTRL.toSorted());
});

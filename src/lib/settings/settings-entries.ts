/** All that the settings page has, in the order of its sections: settings, lists that stand elsewhere, parts of its own. */
import type { ExplainedSetting } from '#contract/settings/setting-methods.ts';
import type { SettingRow } from '#contract/view.ts';
import {
  groupOf,
  isBorrowed,
  LIST_PATHS,
  type ListPath,
  PART_IDS,
  type PartId,
  PARTS,
  SECTIONS,
  type SectionId,
  sectionOf,
} from '#lib/view/settings/sections.ts';
import { COMMAND_IDS, COMMANDS, type CommandId } from '#lib/view/shell/command-table.ts';
import type { Words } from '#lib/words/english.ts';
import { text } from '#lib/words/text.ts';
import { marksOf, type Marks, rankOf, type Searched, valueText, wordsOf } from './setting-search.ts';

export type SettingsEntry<R extends SettingRow = ExplainedSetting> = { section: SectionId } & (
  | { kind: 'setting'; row: R }
  | { kind: 'list'; path: ListPath }
  | { kind: 'part'; part: PartId }
  | { kind: 'keys'; command: CommandId; keys: string }
);

export interface FoundEntry {
  entry: SettingsEntry;
  marks: Marks;
}

/** `browser`: in a browser, which can sign out others. */
export function entriesOf<R extends SettingRow>(rows: readonly R[], browser: boolean): SettingsEntry<R>[] {
  const all: SettingsEntry<R>[] = [
    ...rows
      .toSorted((a, b) => Number(isBorrowed(a.path)) - Number(isBorrowed(b.path)))
      .map((row) => ({ kind: 'setting' as const, section: sectionOf(row.path), row })),
    ...LIST_PATHS.map((path) => ({ kind: 'list' as const, section: sectionOf(path), path })),
    ...PART_IDS.map((part) => ({ kind: 'part' as const, section: PARTS[part], part })),
  ];
  const there = all.filter((one) => browser || one.kind !== 'part' || one.part !== 'browsers');
  return SECTIONS.flatMap((section) => there.filter((one) => one.section === section));
}

/** The keys of each command, which are found like settings. `shown`: as they are written on this machine. */
export function keyEntriesOf(shown: (command: CommandId) => string): SettingsEntry[] {
  return COMMAND_IDS.map((command) => ({ kind: 'keys', section: 'shortcuts', command, keys: shown(command) }));
}

/** Those that have something in them. */
export function sectionsIn(entries: readonly SettingsEntry<SettingRow>[]): SectionId[] {
  return SECTIONS.filter((section) => entries.some((one) => one.section === section));
}

/** Whether something of it is written to the settings file; all else is kept by the browser, or by the program. */
export const hasSettings = (entries: readonly SettingsEntry<SettingRow>[]): boolean =>
  entries.some(({ kind }) => kind === 'setting' || kind === 'list');

/** Names an entry: a path, or a part. */
export const keyOf = (entry: SettingsEntry<SettingRow>): string => {
  if (entry.kind === 'setting') return entry.row.path;
  if (entry.kind === 'keys') return `keys.${entry.command}`;
  return entry.kind === 'list' ? entry.path : entry.part;
};

/** The best first, equals in the order of the page, keys of commands behind what is set by itself; each section stands together, where its best one does. `languages`: all that are at hand. */
export function findEntries(
  entries: readonly SettingsEntry[],
  query: string,
  languages: readonly Words[] = [],
): FoundEntry[] {
  const words = wordsOf(query);
  const found = entries.flatMap((entry) => {
    const searched = searchedOf(entry, languages);
    const marks = marksOf(searched, words);
    return marks === null ? [] : [{ entry, marks, rank: rankOf(searched, query) }];
  });
  const isOfKeys = ({ entry }: FoundEntry): number => Number(entry.kind === 'keys');
  const sorted = found.toSorted((a, b) => isOfKeys(a) - isOfKeys(b) || a.rank - b.rank);
  return [...Map.groupBy(sorted, ({ entry }) => entry.section).values()]
    .flat()
    .map(({ entry, marks }) => ({ entry, marks }));
}

/** What it is called in each language, and other words for it. */
function alsoOf(entry: SettingsEntry<SettingRow>, languages: readonly Words[]): string {
  const key = keyOf(entry);
  return [text, ...languages]
    .flatMap((words) => {
      const others: Readonly<Partial<Record<string, string>>> = words.settingsSearch;
      return [nameIn(entry, words), words.settingsPage.sections[entry.section], others[key] ?? ''];
    })
    .join(' ');
}

/** Without what it is about. */
function nameIn(entry: SettingsEntry<SettingRow>, words: Words): string {
  const { lists, parts } = words.settingsPage;
  if (entry.kind === 'setting') return words.settings.label(entry.row.path);
  if (entry.kind === 'keys') return words.shell.commands[entry.command];
  return entry.kind === 'list' ? lists[entry.path].label : parts[entry.part].label;
}

/** What a setting is called, with what it is about where its name alone does not say that. */
export function nameOf(entry: SettingsEntry<SettingRow>): string {
  const { group } = text.settingsPage;
  const label = nameIn(entry, text);
  if (entry.kind !== 'setting') return label;
  const within = groupOf(entry.row.path);
  return within !== null && ['run', 'workflow', 'provider'].includes(within.kind)
    ? `${group(within)}${text.colon} ${label}`
    : label;
}

/** What is looked in of an entry, and where it stands. */
export function searchedOf(entry: SettingsEntry<SettingRow>, languages: readonly Words[] = []): Searched {
  const { sections, group, lists, parts } = text.settingsPage;
  const about = sections[entry.section];
  const also = alsoOf(entry, languages);
  if (entry.kind === 'setting') {
    const { path, value } = entry.row;
    const description = text.settings.help(entry.row);
    const within = groupOf(path);
    const groupName = within === null ? '' : group(within);
    const label = text.settings.label(path);
    return { label, description, path, value: valueText(value), about: `${about} ${groupName}`, also };
  }
  if (entry.kind === 'keys') {
    const { keys: value, command } = entry;
    const group = text.shell.groups[COMMANDS[command].group];
    return { label: nameIn(entry, text), description: group, path: '', value, about, also };
  }
  const { label, text: description } = entry.kind === 'list' ? lists[entry.path] : parts[entry.part];
  return { label, description, path: entry.kind === 'list' ? entry.path : '', value: '', about, also };
}

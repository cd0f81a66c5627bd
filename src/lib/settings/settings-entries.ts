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
import { text } from '#lib/words/text.ts';
import { marksOf, type Marks, type Searched, valueText, wordsOf } from './setting-search.ts';

export type SettingsEntry<R extends SettingRow = ExplainedSetting> = { section: SectionId } & (
  | { kind: 'setting'; row: R }
  | { kind: 'list'; path: ListPath }
  | { kind: 'part'; part: PartId }
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

/** Those that have something in them. */
export function sectionsIn(entries: readonly SettingsEntry<SettingRow>[]): SectionId[] {
  return SECTIONS.filter((section) => entries.some((one) => one.section === section));
}

/** Whether something of it is written to the settings file; all else is kept by the browser, or by the program. */
export const hasSettings = (entries: readonly SettingsEntry<SettingRow>[]): boolean =>
  entries.some(({ kind }) => kind !== 'part');

/** Names an entry: a path, or a part. */
export const keyOf = (entry: SettingsEntry<SettingRow>): string =>
  entry.kind === 'setting' ? entry.row.path : entry.kind === 'list' ? entry.path : entry.part;

export function findEntries(entries: readonly SettingsEntry[], query: string): FoundEntry[] {
  const words = wordsOf(query);
  return entries.flatMap((entry) => {
    const marks = marksOf(searchedOf(entry), words);
    return marks === null ? [] : [{ entry, marks }];
  });
}

/** What a setting is called, with what it is about where its name alone does not say that. */
export function nameOf(entry: SettingsEntry<SettingRow>): string {
  const { group, lists, parts } = text.settingsPage;
  if (entry.kind !== 'setting') return entry.kind === 'list' ? lists[entry.path].label : parts[entry.part].label;
  const label = text.settings.label(entry.row.path);
  const within = groupOf(entry.row.path);
  return within !== null && ['run', 'workflow', 'provider'].includes(within.kind)
    ? `${group(within)}${text.colon} ${label}`
    : label;
}

/** What is looked in of an entry, and where it stands. */
export function searchedOf(entry: SettingsEntry<SettingRow>): Searched {
  const { sections, group, lists, parts } = text.settingsPage;
  const about = sections[entry.section];
  if (entry.kind === 'setting') {
    const { path, value } = entry.row;
    const description = text.settings.help(entry.row);
    const within = groupOf(path);
    const groupName = within === null ? '' : group(within);
    const label = text.settings.label(path);
    return { label, description, path, value: valueText(value), about: `${about} ${groupName}` };
  }
  const { label, text: description } = entry.kind === 'list' ? lists[entry.path] : parts[entry.part];
  return { label, description, path: entry.kind === 'list' ? entry.path : '', value: '', about };
}

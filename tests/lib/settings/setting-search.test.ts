/** The search of the settings page: in names, descriptions, paths and values, with the places that are marked. */
import { describe, expect, it } from 'vitest';
import { settingRows } from '#core/settings/settings.ts';
import { marksOf, NO_MARKS, wordsOf } from '#lib/settings/setting-search.ts';
import {
  entriesOf,
  findEntries,
  hasSettings,
  keyEntriesOf,
  keyOf,
  nameOf,
  sectionsIn,
} from '#lib/settings/settings-entries.ts';
import { allWords } from '#lib/words/text.ts';
import { sectionAt, SECTIONS } from '#lib/view/settings/sections.ts';
import { settingsOf } from '../../support/compose.ts';

const rows = settingRows(settingsOf('[models]\ndefault = "opus"\n')).map((row) => ({
  ...row,
  origin: { from: 'default' as const },
  others: [],
}));
const entries = entriesOf(rows, true);
const found = (query: string): string[] => findEntries(entries, query).map(({ entry }) => keyOf(entry));

it('appearance, shortcuts and security are the sections without settings in the file', () => {
  const without = SECTIONS.filter((name) => !hasSettings(entries.filter(({ section }) => section === name)));
  expect(without).toEqual(['appearance', 'shortcuts', 'security']);
});

describe('findEntries', () => {
  it('finds by label, description, path and value', () => {
    expect(found('doom_loop')).toEqual(['limits.doom_loop_threshold']);
    expect(found('per workflow')).toEqual(['limits.max_sub_agents']);
    expect(found('not come from')).toEqual([]);
    expect(found('silence')).toEqual(['limits.inactivity_seconds']);
    expect(found('claude-opus')).toEqual(['models.aliases.opus']);
    expect(found('limits.run.max_cost_usd')).toEqual(['limits.run.max_cost_usd']);
  });

  it('finds lists, controls without a setting, and settings by their group heading', () => {
    expect(found('secret_files')).toEqual(['permissions.secret_files']);
    expect(found('colours')).toEqual(['theme']);
    expect(found('one agent cost')).toContain('limits.run.max_cost_usd');
  });

  it('matches every word of the query, ignoring case and accents', () => {
    expect(found('BACKUPS Kéep')).toEqual(['backups.keep', 'backups.max_age_days', 'backups.daily']);
    expect(found('backups blargh')).toEqual([]);
    expect(found('   ')).toEqual([]);
  });

  it('ranks exact names first, then prefixes, names and descriptions, and keeps sections together', () => {
    const all = [...entries, ...keyEntriesOf((command) => (command === 'palette' ? 'Ctrl+K' : ''))];
    const best = (query: string) => findEntries(all, query).map(({ entry }) => keyOf(entry));
    expect(best('contrast')[0]).toBe('contrast');
    expect(best('time to answer')[0]).toBe('limits.approval_seconds');
    expect(best('language')[0]).toBe('language');
    expect(best('trash')[0]).toBe('trash');
    expect(best('backups')[0]).toBe('backups.keep');
    const order = findEntries(all, 'a').map(({ entry }) => entry.section);
    expect(order.filter((one, index) => one !== order[index - 1])).toEqual([...new Set(order)]);
  });

  it('finds synonyms, names in another language, and commands by their keys', async () => {
    expect(found('dark mode')).toEqual(['theme']);
    expect(found('keychain')).toContain('keyPlace');
    const french = await allWords();
    const inAll = (query: string) => findEntries(entries, query, french).map(({ entry }) => keyOf(entry));
    expect(found('couleurs')).toEqual([]);
    expect(inAll('couleurs')).toEqual(['theme']);
    expect(inAll('thème sombre')).toEqual(['theme']);
    // A command that does the same comes behind what it sets.
    const both = findEntries([...entries, ...keyEntriesOf(() => '')], 'français', french);
    expect(both.map(({ entry }) => keyOf(entry))).toEqual(['language', 'keys.french']);
    const keys = keyEntriesOf((command) => (command === 'palette' ? 'Ctrl+K' : ''));
    const [hit] = findEntries(keys, 'ctrl+k');
    expect(hit && keyOf(hit.entry)).toBe('keys.palette');
    expect(hit?.marks.value).toEqual([{ start: 0, end: 6 }]);
    expect(sectionAt('keys.palette')).toBe('shortcuts');
  });
});

describe('marksOf', () => {
  const searched = {
    label: 'Time to answer',
    description: 'Sécondes',
    path: 'a.time',
    value: '300',
    about: 'Approvals',
    also: 'clock',
  };

  it('marks each match in every text', () => {
    expect(marksOf(searched, wordsOf('time 30'))).toEqual({
      ...NO_MARKS,
      label: [{ start: 0, end: 4 }],
      path: [{ start: 2, end: 6 }],
      value: [{ start: 0, end: 2 }],
    });
    expect(marksOf(searched, wordsOf('second'))?.description).toEqual([{ start: 0, end: 6 }]);
  });

  it('is null if a word matches nowhere; a match in the group heading is not marked', () => {
    expect(marksOf(searched, wordsOf('time elsewhere'))).toBeNull();
    expect(marksOf(searched, wordsOf('approvals'))).toEqual(NO_MARKS);
  });
});

describe('entriesOf', () => {
  it('lists every setting once, and browser settings only in a browser', () => {
    const keys = entries.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toEqual(expect.arrayContaining(rows.map(({ path }) => path)));
    expect(entriesOf(rows, false).map(keyOf)).not.toContain('browsers');
    expect(keys).toContain('browsers');
  });

  it('adds the group to names that would be equal', () => {
    const names = entries.filter((one) => /max_minutes$/.test(keyOf(one))).map(nameOf);
    expect(names).toEqual(['One agent: Time', 'A whole workflow: Time']);
  });

  it('omits sections without entries', () => {
    expect(sectionsIn(entries)).toEqual(SECTIONS);
    const others = rows.filter(({ path }) => !path.startsWith('attention.'));
    expect(sectionsIn(entriesOf(others, true))).toEqual(SECTIONS.filter((one) => one !== 'attention'));
  });
});

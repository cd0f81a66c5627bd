/** The sections of the settings page: every setting, list and table of the schema is in exactly one of them, with a name. */
import { describe, expect, it, test } from 'vitest';
import { settingLists, settingRows } from '#core/settings/settings.ts';
import { groupOf, LIST_PATHS, sectionAt, sectionOf, SECTIONS, sectionsOf } from '#lib/view/settings/sections.ts';
import { text } from '#lib/words/text.ts';
import { settingsOf } from '../../../support/compose.ts';

/** With all that a person may name. */
const NAMED = `[providers.local]
type = "openai-chat"
base_url = "http://127.0.0.1:1/v1"
[providers.local.models."a:1.5b"]
context_window = 5
[providers.other]
type = "anthropic"
base_url = "http://127.0.0.1:1"
`;
const rows = settingRows(settingsOf(NAMED));
const paths = [...rows.map(({ path }) => path), ...settingLists()];

test.for(paths)('%s is in exactly one section', (path) => {
  expect(sectionsOf(path)).toEqual([sectionOf(path)]);
});

test.for(rows.map(({ path }) => path))('%s has a label in words', (path) => {
  const label = text.settings.label(path);
  expect(label).not.toContain('_');
  expect(label).not.toContain(path);
  expect(label).not.toContain('undefined');
});

describe('sections', () => {
  it('have a name each, and LIST_PATHS contains every setting list', () => {
    expect(Object.keys(text.settingsPage.sections)).toEqual([...SECTIONS]);
    expect([...LIST_PATHS].sort()).toEqual(settingLists().sort());
  });

  it('have no two settings of one name below one heading', () => {
    const names = rows.map(({ path }) => {
      const group = groupOf(path);
      return `${sectionOf(path)} ${group === null ? '' : text.settingsPage.group(group)} ${text.settings.label(path)}`;
    });
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('are found by section, control or setting path', () => {
    expect(
      ['limits', 'shortcuts', 'theme', 'limits.approval_seconds', 'providers.x.web_search'].map(sectionAt),
    ).toEqual([...['limits', 'shortcuts', 'appearance', 'approvals', 'tools']]);
    expect(sectionAt('what.nobody.knows')).toBe('data');
  });
});

describe('units of settings', () => {
  it('are shown for every number with a unit', () => {
    const unit = (path: string) => text.settingsPage.unit(path);
    const bare = rows.filter(({ kind, path }) => (kind === 'integer' || kind === 'number') && unit(path) === '');
    expect(
      bare
        .map(({ path }) => path.replace(/^.*\./, ''))
        .filter((last) => /second|minute|day|usd|token|window/.test(last)),
    ).toEqual([]);
  });
});

describe('setting values', () => {
  const said = (path: string, value: string | boolean) => {
    const row = rows.find((one) => one.path === path)!;
    return text.settingsPage.value(row, value);
  };

  it('are shown with the words of their control', () => {
    const choices = rows.find(({ path }) => path === 'attention.notifications')?.choices ?? [];
    expect(choices.map((choice) => said('attention.notifications', choice))).toEqual([
      'Never',
      'When something waits for me',
      'Also when work ends',
    ]);
    expect(said('permissions.mode', 'manual')).toBe('manual');
    expect(said('sessions.project', false)).toBe('off');
    expect(said('providers.local.models."a:1.5b".supports_tools', false)).toBe('no');
  });
});

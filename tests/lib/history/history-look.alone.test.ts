// The columns and the chart that a person chose come back, whatever another version has written.
import { beforeEach, expect, it, vi } from 'vitest';
import { COLUMNS, HistoryLook, templateOf } from '#lib/history/history-look.svelte.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
  return () => void vi.unstubAllGlobals();
});

it('stores the columns of each list, and the chart options', () => {
  const look = new HistoryLook();
  expect(look.columnsOf('workflows')).toEqual(COLUMNS);
  look.showColumn('workflows', 'cost', false);
  look.showColumn('workflows', 'who', false);
  look.showColumn('workflows', 'who', true);
  look.setChart({ open: true, by: 'model' });
  look.setChart({ days: 90 });
  const later = new HistoryLook();
  expect(later.columnsOf('workflows')).toEqual(COLUMNS.filter((one) => one !== 'cost'));
  expect(later.columnsOf('agents')).toEqual(COLUMNS);
  expect(later.chart).toEqual({ open: true, by: 'model', days: 90, measure: 'cost' });
});

it('uses the default columns and chart if the stored settings are invalid', () => {
  for (const text of ['no JSON', '[]', '{"hidden":{"workflows":["x"]},"chart":{"by":"x","days":3,"measure":1}}', '1']) {
    kept.set('triad-history', text);
    const look = new HistoryLook();
    expect(look.columnsOf('workflows')).toEqual(COLUMNS);
    expect(look.chart).toEqual({ open: false, by: 'none', days: 30, measure: 'cost' });
  }
});

it('a narrow list omits columns to leave room for the first', () => {
  expect(templateOf(['who', 'tokens', 'cost'], true, false)).toBe('minmax(0, 1fr) 4.5rem');
  expect(templateOf(['who', 'tokens', 'cost'], false, false)).toBe('minmax(0, 3fr) minmax(7.5rem, 1fr) 4rem 4.5rem');
});

it('the time column is narrower below a day heading, where it needs no date', () => {
  expect(templateOf(['when'], true, true)).toBe('minmax(0, 1fr) 4rem');
  expect(templateOf(['when'], true, false)).toBe('minmax(0, 1fr) 6.5rem');
});

/** Whoever reads the app sees its words: the contrast of every pair of colours that stand on each other (WCAG 2.2). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

type Colour = readonly [red: number, green: number, blue: number];
type Theme = 'light' | 'dark';

const css = readFileSync(join(import.meta.dirname, '../../../src/colours.css'), 'utf8');
const [plain = '', strong = ''] = css.split("[data-contrast='more']");

/** Of an `oklch(L% C H)`: linear parts of sRGB, each cut to what a screen can show. */
function colourOf(oklch: string): Colour {
  const [l = NaN, chroma = NaN, hue = NaN] = [...oklch.matchAll(/[\d.]+/g)].map(Number);
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const long = (l / 100 + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l / 100 - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l / 100 - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const cut = (value: number) => Math.min(1, Math.max(0, value));
  return [
    cut(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    cut(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    cut(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

/** By the names of the tokens. */
function coloursOf(part: string, theme: Theme): Map<string, Colour> {
  const rows = part.matchAll(/--color-([\w-]+): light-dark\((oklch\([^)]*\)), (oklch\([^)]*\))\);/g);
  return new Map(
    [...rows].map(([, name = '', light = '', dark = '']) => [name, colourOf(theme === 'light' ? light : dark)]),
  );
}

const luminance = ([red, green, blue]: Colour) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const GROUNDS = ['page', 'side', 'raised', 'sunken', 'hover'];
const WASHES = ['accent-wash', 'danger-wash', 'warn-wash', 'ok-wash'];
const INKS = ['ink', 'soft', 'accent', 'danger', 'warn', 'ok', 'magenta', 'cyan'];
const AGENTS = ['agent-first', 'agent-second', 'agent-third'];

/** Words, and what they stand on. */
const WORDS: readonly (readonly [string, readonly string[]])[] = [
  ...[...INKS, ...AGENTS].map((ink) => [ink, GROUNDS] as const),
  ...['ink', 'soft', ...AGENTS].map((ink) => [ink, WASHES] as const),
  ...['accent', 'danger', 'warn', 'ok'].map((ink) => [ink, [`${ink}-wash`]] as const),
  ['accent-ink', ['accent', 'accent-hover']],
  ['ink', ['found']],
];

describe.for([
  ['light', plain, 'light', 4.5, 3],
  ['dark', plain, 'dark', 4.5, 3],
  ['high contrast, light', strong, 'light', 7, 4.5],
  ['high contrast, dark', strong, 'dark', 7, 4.5],
] as const)('the colour theme %s', ([, part, theme, ofWords, ofEdges]) => {
  const colours = coloursOf(part, theme);
  const of = (name: string): Colour => colours.get(name) ?? [NaN, NaN, NaN];
  /** Also those that a name's misspelling leaves without a number. */
  const weak = (pairs: readonly (readonly [string, readonly string[]])[], least: number) =>
    pairs.flatMap(([ink, grounds]) =>
      grounds.flatMap((ground) => {
        const value = contrast(of(ink), of(ground));
        return value >= least ? [] : [`${ink} on ${ground}: ${value.toFixed(2)}`];
      }),
    );

  test('text has enough contrast on each of its backgrounds', () => {
    expect(weak(WORDS, ofWords)).toEqual([]);
  });

  test('field borders, focus and agent marks have enough contrast', () => {
    const seen = ['edge', 'accent', ...AGENTS].map((name) => [name, ['page', 'side', 'raised', 'sunken']] as const);
    expect(weak(seen, ofEdges)).toEqual([]);
  });
});

test('high contrast redefines each colour, and colours are defined only in colours.css', () => {
  expect([...coloursOf(strong, 'light').keys()]).toEqual([...coloursOf(plain, 'light').keys()]);
  expect(css.replaceAll(/oklch\([^)]*\)/g, '')).not.toMatch(/#[\da-f]{3,8}\b/i);
  const rest = readFileSync(join(import.meta.dirname, '../../../src/app.css'), 'utf8');
  expect(rest).not.toMatch(/#[\da-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i);
});

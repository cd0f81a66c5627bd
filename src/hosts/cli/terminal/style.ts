/** Colours of the terminal: on a terminal only, and never against the person's will. */
export type Ink = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Style = (ink: Ink, text: string) => string;

const CODES: Readonly<Record<Ink, [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export const plainStyle: Style = (_ink, text) => text;

/** `NO_COLOR` with any content, and a terminal that can do nothing, mean plain text. */
export function styleFor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Style {
  if (!isTerminal || env['NO_COLOR'] || env['TERM'] === 'dumb') return plainStyle;
  return (ink, text) => (text === '' ? '' : `\u001b[${CODES[ink][0]}m${text}\u001b[${CODES[ink][1]}m`);
}

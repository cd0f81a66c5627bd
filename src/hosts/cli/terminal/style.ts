/** Colours of the terminal: on a terminal only, and never against the person's will. */
import { styleText } from 'node:util';

type Ink = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'blue';
export type Style = (ink: Ink, text: string) => string;

export const plainStyle: Style = (_ink, text) => text;

/** `NO_COLOR` with any content, and a terminal that can do nothing, mean plain text. */
export function styleFor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Style {
  if (!isTerminal || env['NO_COLOR'] || env['TERM'] === 'dumb') return plainStyle;
  // Whether colours are wanted was decided here: `styleText` would look at the environment of the process.
  return (ink, text) => (text === '' ? '' : styleText(ink, text, { validateStream: false }));
}

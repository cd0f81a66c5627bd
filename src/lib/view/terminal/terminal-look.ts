/** Colours and weights of terminal text as class names. Every pair of colours that they give can be read, light and dark. */
import type { IBufferCell } from '@xterm/headless';

type Hue = keyof typeof INK;

const INK = {
  red: 'text-danger',
  green: 'text-ok',
  yellow: 'text-warn',
  blue: 'text-accent',
  magenta: 'text-magenta',
  cyan: 'text-cyan',
  grey: 'text-soft',
  ink: 'text-ink',
} as const;
/** Text on a coloured background has the colour of the page: other pairs might be unreadable. */
const WASH = {
  red: 'bg-danger text-sunken',
  green: 'bg-ok text-sunken',
  yellow: 'bg-warn text-sunken',
  blue: 'bg-accent text-sunken',
  magenta: 'bg-magenta text-sunken',
  cyan: 'bg-cyan text-sunken',
  grey: 'bg-soft text-sunken',
  ink: 'bg-ink text-sunken',
} as const;

/** Black and white are the colours of the page; bright colours are the same as others. */
const BASIC = [null, 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', null] as const;
const WHITE = 7;
const BRIGHT = 8;
/** Every 60 degrees of the circle of colours. */
const CIRCLE = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'] as const;

/** Returns the class names of a cell. Concealed text stays visible. */
export function classesOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return '';
  const ink = cell.isFgDefault() ? null : hueOf(cell.getFgColor(), cell.isFgRGB());
  const wash = cell.isBgDefault() ? null : washOf(cell);
  const behind = cell.isInverse() ? (ink ?? 'ink') : wash;
  const names = [
    behind ? WASH[behind] : ink ? INK[ink] : cell.isDim() ? INK.grey : '',
    cell.isBold() ? 'font-bold' : '',
    cell.isItalic() ? 'italic' : '',
    cell.isUnderline() ? 'underline' : '',
    cell.isStrikethrough() ? 'line-through' : '',
  ];
  return names.filter((name) => name !== '').join(' ');
}

function washOf(cell: IBufferCell): Hue | null {
  const color = cell.getBgColor();
  if (cell.isBgPalette() && (color === WHITE || color === WHITE + BRIGHT)) return 'ink';
  return hueOf(color, cell.isBgRGB());
}

/** Of one of 256 colours, or of red, green and blue in 24 bits. */
function hueOf(color: number, isRgb: boolean): Hue | null {
  if (isRgb) return nearest([color >> 16, (color >> 8) & 255, color & 255]);
  if (color < 16) return color === BRIGHT ? 'grey' : (BASIC[color % BRIGHT] ?? null);
  if (color >= 232) return color < 250 ? 'grey' : null;
  const cube = color - 16;
  return nearest([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((level) => level * 51));
}

function nearest([red = 0, green = 0, blue = 0]: readonly number[]): Hue | null {
  const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const spread = most - least;
  if (spread < 40) return most > 64 && most < 200 ? 'grey' : null;
  const sixth =
    most === red ? (green - blue) / spread : most === green ? 2 + (blue - red) / spread : 4 + (red - green) / spread;
  return CIRCLE[(Math.round(sixth) + 6) % 6] ?? null;
}

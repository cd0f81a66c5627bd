/** Colours and weights of terminal text as class names. Every pair of colours that they give can be read, light and dark. */

/** The groups `codes` and `final` of a control sequence. */
export const CSI = String.raw`(?:\x1b\[|\x9b)(?<codes>[0-?]*)[ -\/]*(?<final>[@-~])`;

type Hue = keyof typeof INK;

export interface Look {
  /** Null: the usual colour. */
  ink: Hue | null;
  /** Behind the text; the text itself is then in the colour of the page, as any other pair might be unreadable. */
  wash: Hue | null;
  isInverse: boolean;
  isDim: boolean;
  weights: readonly string[];
}

export const PLAIN: Look = { ink: null, wash: null, isInverse: false, isDim: false, weights: [] };

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

/** Black, white and the default are whatever the page has; bright colours are the same as others. */
const BASIC = [null, 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', null] as const;
/** Every 60 degrees of the circle of colours. */
const CIRCLE = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'] as const;

/** Codes that turn a weight on, and the ones that turn it off. */
const WEIGHTS: Readonly<Record<number, string>> = {
  1: 'font-bold',
  3: 'italic',
  4: 'underline',
  9: 'line-through',
  21: 'underline',
};
const ENDS: Readonly<Record<number, string>> = { 22: 'font-bold', 23: 'italic', 24: 'underline', 29: 'line-through' };

export function classesOf({ ink, wash, isInverse, isDim, weights }: Look): string {
  const behind = isInverse ? (ink ?? 'ink') : wash;
  const colour = behind ? WASH[behind] : ink ? INK[ink] : isDim ? INK.grey : '';
  return [colour, ...weights].filter((name) => name !== '').join(' ');
}

/** The look after the codes of an `m` sequence; text that is to be concealed stays. */
export function looked(look: Look, codes: string): Look {
  // Private sequences look the same but for this.
  if (/[<-?]/.test(codes)) return look;
  const all = codes.split(';');
  for (let at = 0; at < all.length; at += 1) {
    const [code = 0, ...own] = (all[at] ?? '').split(':').map(Number);
    if (code === 38 || code === 48 || code === 58) {
      const values = own.length > 0 ? own : all.slice(at + 1).map(Number);
      const hue = extended(values, own.length > 0);
      if (code === 38) look = { ...look, ink: hue };
      if (code === 48) look = { ...look, wash: hue };
      if (own.length === 0) at += values[0] === 5 ? 2 : values[0] === 2 ? 4 : 0;
    } else look = simple(look, code, own[0] === 0);
  }
  return look;
}

function simple(look: Look, code: number, isOff: boolean): Look {
  const weight = WEIGHTS[code];
  const ended = isOff ? weight : ENDS[code];
  const weights = look.weights.filter((name) => name !== weight && name !== ended);
  if (code === 0) return PLAIN;
  if (weight !== undefined && !isOff) return { ...look, weights: [...weights, weight] };
  if (code === 2) return { ...look, isDim: true };
  if (code === 22) return { ...look, weights, isDim: false };
  if (ended !== undefined) return { ...look, weights };
  if (code === 7 || code === 27) return { ...look, isInverse: code === 7 };
  if (inRange(code, 30) || code === 39) return { ...look, ink: BASIC[code - 30] ?? null };
  if (inRange(code, 40) || code === 49) return { ...look, wash: code === 47 ? 'ink' : (BASIC[code - 40] ?? null) };
  if (inRange(code, 90)) return { ...look, ink: bright(code - 90) };
  if (inRange(code, 100)) return { ...look, wash: code === 107 ? 'ink' : bright(code - 100) };
  return look;
}

const inRange = (code: number, first: number): boolean => code >= first && code <= first + 7;
const bright = (index: number): Hue | null => (index === 0 ? 'grey' : (BASIC[index] ?? null));

/** One of 256 colours, or one by its red, green and blue, which a number for the space of colours may precede. */
function extended([kind, ...values]: readonly number[], withColons: boolean): Hue | null {
  const [index = 0] = values;
  if (kind === 2) return nearest(withColons ? values.slice(-3) : values.slice(0, 3));
  if (kind !== 5) return null;
  if (index < 16) return index < 8 ? (BASIC[index] ?? null) : bright(index - 8);
  if (index >= 232) return index < 250 ? 'grey' : null;
  const cube = index - 16;
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

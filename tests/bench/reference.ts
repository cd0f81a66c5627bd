/** Compares figures with the committed reference, which is of an idle machine. */
import type { Figure } from './figure.ts';

/** Values by id of a figure: the ratio to the floor where there is a floor, else the value itself. */
export type Reference = Readonly<Record<string, number>>;

/** A figure that is worse by more than this share is reported. */
const TOLERANCE = 0.1;

/** Returns one warning for each figure that is worse than the reference. Figures without a reference are left out. */
export function compareWithReference(figures: readonly Figure[], reference: Reference): string[] {
  return figures.flatMap((one) => {
    const [value, known] = [comparedValue(one), reference[one.id]];
    if (value === null || known === undefined || known === 0) return [];
    const change = (isHigherBetter(one) ? known - value : value - known) / Math.abs(known);
    if (change <= TOLERANCE) return [];
    const what = one.ratio === null ? one.unit : '× the floor';
    return [
      `${one.title}: ${value.toFixed(2)} ${what}`.trimEnd() +
        `, ${Math.round(100 * change)} % worse than the reference (${known.toFixed(2)})`,
    ];
  });
}

/** Returns the reference that these figures make. */
export function createReference(figures: readonly Figure[], before: Reference = {}): Reference {
  const values = figures.flatMap((one) => {
    const value = comparedValue(one);
    return value === null ? [] : [[one.id, Number(value.toPrecision(4))] as const];
  });
  return Object.fromEntries(Object.entries({ ...before, ...Object.fromEntries(values) }).sort());
}

function comparedValue({ ratio, ours }: Figure): number | null {
  return ratio ?? ours;
}

const isHigherBetter = ({ bar }: Figure): boolean => bar.includes('≥');

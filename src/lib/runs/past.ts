/** Whether a transcript shows the past as it was: then nothing in it can be done, and its time is not now. */
import { createContext } from 'svelte';
import type { RunRow } from '#contract/view.ts';
import { getApp } from '#lib/app/app.svelte.ts';
import { isFromOrigin } from '#lib/view/family.ts';

/** A time that is shown: `now` is in milliseconds since 1970. */
interface Moment {
  readonly now: number;
}

const [get, set, has] = createContext<Moment>();

/** All below shows what was at this moment. */
export const setPast = set;

/** Null in the present. */
export function pastHere(): Moment | null {
  return has() ? get() : null;
}

/** The time that is shown here. */
export function clockHere(): Moment {
  return pastHere() ?? getApp().clock;
}

/** Whether nothing of this run can be done here. Only where a component is made. */
export function isOverHere(): (run: RunRow) => boolean {
  const past = pastHere() !== null;
  return (run) => past || isFromOrigin(run);
}

/** What was started again from a stage: the focus and the sight go to it, in the lane or the card where it works now. */
import { createContext } from 'svelte';

/** Null: it did not start. */
type Follow = (runId: string | null) => void;

const [get, set, has] = createContext<Follow>();

/** For all below a stage. */
export const setFollow = set;

/** Only where a component is made. Nothing follows outside of a stage. */
export function followHere(): Follow {
  return has() ? get() : () => undefined;
}

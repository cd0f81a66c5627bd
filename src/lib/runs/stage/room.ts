/** The column that shows a transcript: its width, and a way to widen it for lanes. */
import { createContext } from 'svelte';

export interface LaneRoom {
  /** Width of the column in pixels. 0: nothing may be wider than the text. */
  readonly width: number;
  /** Makes the column wider where the page can. Returns the release. */
  readonly widen?: () => () => void;
}

const NO_ROOM: LaneRoom = { width: 0 };
const [get, set, has] = createContext<LaneRoom>();

export const setLaneRoom = set;

/** Call while a component initializes. */
export function getLaneRoom(): LaneRoom {
  return has() ? get() : NO_ROOM;
}

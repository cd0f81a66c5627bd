/** Ends what works when its time is used up: at once, whatever it is doing. */
import type { Budget } from '#contract/agent.ts';
import type { Bound } from '#contract/message.ts';
import { Stopped } from '#core/base/stop.ts';
import type { WorkClock } from '#core/base/work-clock.ts';
import { limitEnd } from './limit-notices.ts';
import { timeUpIn } from './limits.ts';

export class TimeUp extends Stopped {
  readonly bound: Bound;

  constructor(bound: Bound) {
    super('time', limitEnd({ bound }).error.message);
    this.bound = bound;
  }

  /** The time of a workflow is that of all of its runs. */
  override get spreads(): boolean {
    return this.bound.of === 'workflow';
  }
}

/** Calls `end` as soon as the clock has reached the limit that holds then, until the returned function is called. */
export function watchTime(
  of: Bound['of'],
  clock: WorkClock,
  limits: () => Budget,
  end: (stop: TimeUp) => void,
): () => void {
  return clock.watch(() => {
    const bound = timeUpIn(of, limits(), clock);
    if (bound) end(new TimeUp(bound));
  });
}

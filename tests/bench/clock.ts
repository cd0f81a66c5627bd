/** One clock for all processes of this machine, in milliseconds. */

export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** An instant of `performance` (milliseconds since the epoch) of this process on the common clock. */
export function fromEpoch(instant: number): number {
  return instant - (performance.timeOrigin + performance.now()) + clock();
}

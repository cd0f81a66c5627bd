/** Medians, percentiles and slopes of measured values. */

export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('there are no values');
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length / 2;
  if (sorted.length === 0) throw new Error('there are no values');
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle) - 1] ?? NaN)) / 2;
}

/** The slope of the straight line that fits best, in units of y for each x. */
export function slope(points: readonly { x: number; y: number }[]): number {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (spread === 0) throw new Error('one point has no slope');
  return points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How many there are in a second, of times in milliseconds. */
export function perSecond(times: readonly number[]): number {
  return (1000 * times.length) / times.reduce((sum, time) => sum + time, 0);
}

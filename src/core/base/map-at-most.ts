/** Maps a list with asynchronous work, of which only a few pieces run at once. */

/** Returns the results in the order of the items. At most `limit` calls of `work` run at once. Rejects like `Promise.all`. */
export async function mapAtMost<T, R>(limit: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const takeNext = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, takeNext));
  return results;
}

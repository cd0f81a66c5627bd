/** What every dictionary has in common: the keys of the English one, and functions of the same values. */
export type SameWords<T> = T extends string
  ? string
  : T extends (...values: infer V) => infer R
    ? (...values: V) => SameWords<R>
    : T extends object
      ? { [K in keyof T]: SameWords<T[K]> }
      : T;

/**
 * Reads as what `now` gives, also through its groups, so that whoever keeps a group goes with the language; whoever keeps
 * a single text does not. `base` has the keys.
 */
export function following<T extends object>(base: T, now: () => T): T {
  const groups = new Map<PropertyKey, object>();
  return new Proxy(base, {
    get(_, key) {
      const value: unknown = Reflect.get(now(), key);
      if (!isGroup(value)) return value;
      let group = groups.get(key);
      if (group === undefined) {
        group = following(Reflect.get(base, key) as object, () => Reflect.get(now(), key) as object);
        groups.set(key, group);
      }
      return group;
    },
  });
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An event of Electron's that a listener may forbid. */
import type { Event } from 'electron';

export function cancellable<T extends object>(params: T): Event<T> {
  let prevented = false;
  const event = { preventDefault: () => void (prevented = true) };
  return Object.defineProperties(Object.assign(event, params), {
    defaultPrevented: { get: () => prevented },
  }) as Event<T>;
}

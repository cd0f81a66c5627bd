/** What a sandboxed preload finds in its page: `contextBridge` and `ipcRenderer`, over one binding to the process. */

/** Name of the symbol under which a document takes the messages of the process. */
export const DISPATCH = 'electron stand-in';

/** The script that runs before every page of a window; as text, since the page's own policy forbids to make code. */
export function preloadScript(binding: string, { code, process }: { code: string; process: object }): string {
  return `(() => {
    if (window !== window.top) return;
    const electron = (${electronOfPage.toString()})(${JSON.stringify(binding)}, Symbol.for('${DISPATCH}'));
    const require = (name) => {
      if (name !== 'electron') throw new Error('module not found: ' + name);
      return electron;
    };
    ((require, module, exports, process) => {${code}\n})(require, { exports: {} }, {}, ${JSON.stringify(process)});
  })();`;
}

/** Runs in the page, so it may use nothing of this file. */
function electronOfPage(binding: string, dispatch: symbol): object {
  const post = Reflect.get(window, binding) as (payload: string) => void;
  const call = (kind: string, ...values: unknown[]) => post(JSON.stringify([kind, ...values]));
  const listeners = new Map<string, ((event: object, ...values: unknown[]) => void)[]>();
  Reflect.deleteProperty(window, binding);
  Object.defineProperty(window, dispatch, {
    value: ([channel, ...values]: [string, ...unknown[]]) => {
      for (const listener of listeners.get(channel) ?? []) listener({}, ...values);
    },
  });

  /** As values cross between two worlds: functions as functions, promises as promises, the rest as copies. */
  const cross = (value: unknown): unknown => {
    if (typeof value === 'function')
      return (...values: unknown[]) => cross(Reflect.apply(value, null, values.map(cross)));
    if (value instanceof Promise) return value.then(cross);
    if (Array.isArray(value)) return value.map(cross);
    if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cross(one)]));
    return structuredClone(value);
  };
  const navigation = Reflect.get(window, 'navigation') as EventTarget;
  navigation.addEventListener('currententrychange', () => call('in-page', location.href));
  for (const type of ['keydown', 'mousedown', 'wheel'] as const)
    window.addEventListener(type, () => call('input', type), { capture: true, passive: true });
  call('document', location.href);

  return {
    contextBridge: {
      exposeInMainWorld: (key: string, api: object) =>
        Object.defineProperty(window, key, { value: Object.freeze(cross(api)), enumerable: true }),
    },
    ipcRenderer: {
      send: (channel: string, ...values: unknown[]) => call('send', channel, ...structuredClone(values)),
      on: (channel: string, listener: (event: object, ...values: unknown[]) => void) =>
        listeners.set(channel, [...(listeners.get(channel) ?? []), listener]),
    },
  };
}

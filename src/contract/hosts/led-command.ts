/** What a menu of the desktop has a page do: it says so at the end of the address, which loads no page anew. Pure. */

/** All of them only lead somewhere. */
const LED = ['new', 'settings', 'shortcuts'] as const;

export interface LedCommand {
  command: (typeof LED)[number];
  /** Of a new conversation; null for the usual one. */
  folder: string | null;
}

export function hashOfCommand({ command, folder }: LedCommand): string {
  return `#do=${command}${folder === null ? '' : `/${encodeURIComponent(folder)}`}`;
}

/** Null for any other end of an address. */
export function commandOfHash(hash: string): LedCommand | null {
  const [, name, folder] = /^#do=(\w+)(?:\/([\w%.!~*'()-]+))?$/.exec(hash) ?? [];
  const command = LED.find((one) => one === name);
  if (command === undefined) return null;
  try {
    return { command, folder: folder === undefined ? null : decodeURIComponent(folder) };
  } catch {
    return null;
  }
}

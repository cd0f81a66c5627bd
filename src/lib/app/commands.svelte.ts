/** The commands that can be given now, by name or by keys; and which keys the person gave them in this browser. */
import { createContext } from 'svelte';
import { tinykeys } from 'tinykeys';
import { isMac } from '#lib/ui/platform.ts';
import { focusedTextField } from '#lib/ui/text-field.ts';
import { isInTheWay, isShortcut, keysText, SEQUENCE_MS } from '#lib/view/shell/keys.ts';
import { COMMAND_IDS, COMMANDS, type CommandId, FIXED_KEYS, type FixedKey } from '#lib/view/shell/command-table.ts';

const KEY = 'triad-shortcuts';

type Own = Readonly<Partial<Record<CommandId, string>>>;
type Offer = Readonly<Partial<Record<CommandId, () => void>>>;
/** Why keys cannot be taken. */
export type KeysFault = { kind: 'plain' } | { kind: 'command'; id: CommandId } | { kind: 'fixed'; id: FixedKey };

export class Commands {
  readonly mac: boolean;
  #own = $state.raw<Own>({});
  #offers = $state.raw<readonly Offer[]>([]);
  /** The same: an effect that ends would read the state as it was before the others, and lose what they offer. */
  #all: readonly Offer[] = [];

  constructor(mac = isMac()) {
    this.mac = mac;
    this.reload();
  }

  /** Reads the person's keys again: another window may have changed them. */
  reload(): void {
    this.#own = ownKeys(localStorage.getItem(KEY));
  }

  keysOf(id: CommandId): string {
    return this.#own[id] ?? COMMANDS[id].keys;
  }

  /** As it stands in a menu: `Ctrl+K`; empty for none. */
  shown(id: CommandId): string {
    return keysText(this.keysOf(id), this.mac);
  }

  /** A name with the keys that do the same: `Settings (Ctrl+,)`. */
  hint(id: CommandId, name: string): string {
    const keys = this.shown(id);
    return keys === '' ? name : `${name} (${keys})`;
  }

  isOwn(id: CommandId): boolean {
    return this.#own[id] !== undefined;
  }

  get hasOwn(): boolean {
    return Object.keys(this.#own).length > 0;
  }

  /** What is in the way of these keys; null where nothing is. */
  faultOf(id: CommandId, keys: string): KeysFault | null {
    if (!isShortcut(keys)) return { kind: 'plain' };
    const fixed = (Object.keys(FIXED_KEYS) as FixedKey[]).find((one) => isInTheWay(FIXED_KEYS[one], keys));
    if (fixed !== undefined) return { kind: 'fixed', id: fixed };
    const holder = COMMAND_IDS.find((one) => one !== id && isInTheWay(this.keysOf(one) || ' ', keys));
    return holder === undefined ? null : { kind: 'command', id: holder };
  }

  /** Empty keys: none. Keys that another command has are taken from it. */
  set(id: CommandId, keys: string): void {
    const taken = COMMAND_IDS.filter((one) => one !== id && keys !== '' && isInTheWay(this.keysOf(one) || ' ', keys));
    this.#keep({ ...this.#own, ...Object.fromEntries(taken.map((one) => [one, ''])), [id]: keys });
  }

  /** Its default keys again, or those of all. */
  reset(id?: CommandId): void {
    if (id === undefined) this.#keep({});
    else this.set(id, COMMANDS[id].keys);
  }

  #keep(own: Own): void {
    const changed = Object.entries(own).filter(([id, keys]) => COMMANDS[id as CommandId].keys !== keys);
    this.#own = Object.fromEntries(changed);
    if (changed.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(this.#own));
  }

  /**
   * What can be given from now on; the newest offer of a command counts. Returns the function that takes it back. Who offers
   * nothing changes nothing, as each message does but the newest, whenever it comes into sight.
   */
  offer(offer: Offer): () => void {
    if (Object.keys(offer).length === 0) return () => undefined;
    this.#put([...this.#all, offer]);
    return () => this.#put(this.#all.filter((one) => one !== offer));
  }

  #put(all: readonly Offer[]): void {
    this.#all = all;
    this.#offers = all;
  }

  can(id: CommandId): boolean {
    return this.#offers.some((offer) => offer[id] !== undefined);
  }

  run(id: CommandId): void {
    this.#offers.findLast((offer) => offer[id] !== undefined)?.[id]?.();
  }

  /** Listens to the keys of all commands; returns the function that ends it. */
  listen(target: Window): () => void {
    const handlers = COMMAND_IDS.filter((id) => this.keysOf(id) !== '').map((id) => [
      this.keysOf(id),
      (event: KeyboardEvent) => {
        if (event.defaultPrevented || !this.can(id)) return;
        event.preventDefault();
        if (!event.repeat) this.run(id);
      },
    ]);
    const bindings = Object.fromEntries(handlers) as Record<string, (event: KeyboardEvent) => void>;
    return tinykeys(target, bindings, { ignore, timeout: SEQUENCE_MS });
  }
}

export const [getCommands, setCommands] = createContext<Commands>();

/** Typing is never a command, and what waits for an answer is asked first. */
function ignore(event: KeyboardEvent): boolean {
  // Of Ctrl+S that is held down the browser would make its own.
  if (event.isComposing || (event.repeat && !(event.ctrlKey || event.metaKey))) return true;
  if (document.querySelector('[role="dialog"][data-state="open"], [role="alertdialog"][data-state="open"]'))
    return true;
  if (!isInField(event)) return false;
  // On some keyboards AltGr, which writes signs, counts as Ctrl and Alt.
  return (
    !(event.ctrlKey || event.metaKey || event.altKey || /^F\d/.test(event.key)) || event.getModifierState('AltGraph')
  );
}

function isInField({ target }: KeyboardEvent): boolean {
  return (
    focusedTextField() !== null ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}

function ownKeys(stored: string | null): Own {
  try {
    const known: unknown = JSON.parse(stored ?? '{}');
    const entries = Object.entries(Object(known) as Record<string, unknown>);
    return Object.fromEntries(entries.filter(([id, keys]) => Object.hasOwn(COMMANDS, id) && typeof keys === 'string'));
  } catch {
    return {};
  }
}

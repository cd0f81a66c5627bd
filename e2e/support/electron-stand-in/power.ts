/** `powerMonitor`, `powerSaveBlocker` and `globalShortcut`: the machine's sleep and its keys, which the test plays. */
import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import { cancellable } from './event.ts';
import type { Wire } from '../wire.ts';

export function standInPowerMonitor(wire: Wire): EventEmitter {
  const monitor = new EventEmitter();
  // True: the app holds it up.
  wire.on('power', (name: 'resume' | 'shutdown' | 'suspend') => {
    const event = cancellable({});
    monitor.emit(name, event);
    return event.defaultPrevented;
  });
  return monitor;
}

export function standInBlocker(wire: Wire) {
  const started = new Set<number>();
  let last = 0;
  return {
    start: (type) => {
      last += 1;
      started.add(last);
      wire.tell('awake', type);
      return last;
    },
    stop: (id) => {
      if (!started.delete(id)) return false;
      wire.tell('awake', null);
      return true;
    },
    isStarted: (id) => started.has(id),
  } satisfies Pick<Electron.PowerSaveBlocker, 'isStarted' | 'start' | 'stop'>;
}

/** Another program has this key. */
const TAKEN = 'F12';

export function standInShortcuts(wire: Wire) {
  const taken = new Map<string, () => void>();
  wire.on('global keys', (keys: string) => {
    const press = taken.get(keys);
    if (press === undefined) throw new Error(`Nobody has the keys ${keys}`);
    press();
  });
  return {
    register: (keys, press) => {
      if (keys.split('+').includes(TAKEN) || taken.has(keys)) return false;
      taken.set(keys, press);
      wire.tell('global keys', keys);
      return true;
    },
    unregisterAll: () => taken.clear(),
  } satisfies Pick<Electron.GlobalShortcut, 'register' | 'unregisterAll'>;
}

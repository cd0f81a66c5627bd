// Keys of commands: kept in this browser, taken from whom had them, and given back.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Commands } from '#lib/app/commands.svelte.ts';
import { COMMAND_IDS, FIXED_KEYS } from '#lib/view/shell/command-table.ts';
import { isInTheWay } from '#lib/view/shell/keys.ts';
import { storage } from '../support/storage.ts';
import { watch } from '../support/watch.svelte.ts';

beforeEach(() => {
  vi.stubGlobal('localStorage', storage());
  return () => void vi.unstubAllGlobals();
});

describe('Commands', () => {
  it('default keys do not conflict with each other', () => {
    const commands = new Commands(false);
    const all = [...COMMAND_IDS.map((id) => commands.keysOf(id)), ...Object.values(FIXED_KEYS)].filter(Boolean);
    for (const keys of all) expect(all.filter((other) => isInTheWay(keys, other))).toEqual([keys]);
  });

  it('stores changed keys, takes keys from another command, and resets them', () => {
    const commands = new Commands(false);
    expect(commands.faultOf('pin', '$mod+B')).toEqual({ kind: 'command', id: 'rail' });
    commands.set('pin', '$mod+B');
    const later = new Commands(false);
    expect([later.keysOf('pin'), later.keysOf('rail')]).toEqual(['$mod+B', '']);
    expect(later.shown('pin')).toBe('Ctrl+B');
    later.reset('pin');
    expect([later.isOwn('pin'), later.isOwn('rail')]).toEqual([false, true]);
    later.reset();
    expect([later.hasOwn, localStorage.getItem('triad-shortcuts')]).toEqual([false, null]);
    expect(later.keysOf('rail')).toBe('$mod+B');
  });

  it('can run an offered command until the offer ends; an empty offer triggers no update', () => {
    const commands = new Commands(false);
    const looks = watch(() => commands.can('edit'));
    expect([commands.can('edit'), looks()]).toEqual([false, 1]);
    const takeBack = commands.offer({ edit: () => undefined });
    expect([commands.can('edit'), looks()]).toEqual([true, 2]);
    const nothing = commands.offer({});
    expect([commands.can('edit'), looks()]).toEqual([true, 2]);
    nothing();
    expect([commands.can('edit'), looks()]).toEqual([true, 2]);
    takeBack();
    expect([commands.can('edit'), looks()]).toEqual([false, 3]);
  });

  it('rejects plain keys and keys with a fixed meaning', () => {
    const commands = new Commands(false);
    expect(commands.faultOf('pin', 'P')).toEqual({ kind: 'plain' });
    expect(commands.faultOf('pin', FIXED_KEYS.allow)).toEqual({ kind: 'fixed', id: 'allow' });
    expect(commands.faultOf('rail', '$mod+B')).toBeNull();
  });

  it('accepts a sequence of two keys, and names the command whose keys conflict', () => {
    const commands = new Commands(false);
    expect(commands.faultOf('trash', 'G T')).toBeNull();
    expect(commands.faultOf('trash', 'G H')).toEqual({ kind: 'command', id: 'history' });
    expect(commands.faultOf('trash', 'Shift+? T')).toEqual({ kind: 'command', id: 'shortcuts' });
    commands.set('trash', 'G T');
    expect([commands.shown('trash'), commands.shown('history')]).toEqual(['G T', 'G H']);
  });

  it('runs the command of the newest offer, until that offer ends', () => {
    const commands = new Commands(false);
    const given: string[] = [];
    const end = commands.offer({ stop: () => given.push('first') });
    const endNewer = commands.offer({ stop: () => given.push('newer') });
    commands.run('stop');
    endNewer();
    commands.run('stop');
    end();
    commands.run('stop');
    expect(given).toEqual(['newer', 'first']);
    expect(commands.can('stop')).toBe(false);
  });

  it('ignores invalid stored keys', () => {
    localStorage.setItem('triad-shortcuts', '{"pin": 3, "nothing": "F3", "rail": "F4"}');
    const commands = new Commands(false);
    expect([commands.keysOf('pin'), commands.keysOf('rail')]).toEqual(['', 'F4']);
    localStorage.setItem('triad-shortcuts', '{');
    commands.reload();
    expect(commands.hasOwn).toBe(false);
  });
});

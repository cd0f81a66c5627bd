/** What the settings of attention and of the desktop change: proofs for `live-settings.test.ts`. What clients make of them is tested there. */
import { expect } from 'vitest';
import type { Signals } from '#contract/attention/signals.ts';
import type { DesktopChoices } from '#contract/hosts/desktop-choices.ts';
import type { Attention } from '#contract/view.ts';
import { eventually } from '../../support/eventually.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import type { Proof } from './live-settings.test.ts';

/** Who follows the feed is told now, and told again when it is set back. */
function told<K extends keyof Signals>(key: K, value: Signals[K]): Proof {
  return {
    value,
    script: plainAnswer,
    check: async ({ runtime }) => {
      let signals: Attention['signals'];
      const end = await runtime.subscribe('attention', { canAnswer: false }, (state) => (signals = state.signals));
      await eventually(async () => expect(signals?.[key]).toBe(value));
      const path = `attention.${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
      await runtime.request('settings.set', { path, value: null });
      await eventually(async () => expect(signals?.[key]).not.toBe(value));
      end();
    },
  };
}

/** The same for what the desktop makes of its pages. */
function toldToDesktop<K extends keyof DesktopChoices>(key: K, value: DesktopChoices[K]): Proof {
  return {
    value,
    script: plainAnswer,
    check: async ({ runtime }) => {
      let choices: Attention['desktop'];
      const end = await runtime.subscribe('attention', { canAnswer: false }, (state) => (choices = state.desktop));
      await eventually(async () => expect(choices?.[key]).toBe(value));
      const path = `desktop.${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
      await runtime.request('settings.set', { path, value: null });
      await eventually(async () => expect(choices?.[key]).not.toBe(value));
      end();
    },
  };
}

export const DESKTOP_PROOFS: Record<string, Proof> = {
  'desktop.tray': toldToDesktop('tray', 'on'),
  'desktop.keep_awake': toldToDesktop('keepAwake', false),
  'desktop.quick_entry': toldToDesktop('quickEntry', 'Alt+Space'),
  'desktop.spell_check': toldToDesktop('spellCheck', 'off'),
};

export const ATTENTION_PROOFS: Record<string, Proof> = {
  'attention.sound_blocked': told('soundBlocked', true),
  'attention.sound_done': told('soundDone', true),
  'attention.volume': told('volume', 20),
  'attention.notifications': told('notifications', 'off'),
  'attention.repeats': told('repeats', 0),
  'attention.away_seconds': told('awaySeconds', 120),
  'attention.quiet_from': told('quietFrom', '22:00'),
  'attention.quiet_to': told('quietTo', '07:30'),
};

/** What the settings of attention and of the desktop change: proofs for `live-settings.test.ts`. What clients make of them is tested there. */
import { expect } from 'vitest';
import type { Signals } from '#contract/attention/signals.ts';
import type { DesktopChoices } from '#contract/hosts/desktop-choices.ts';
import { eventually } from '../../support/eventually.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import type { Proof } from './live-settings.test.ts';

interface Told {
  signals: Signals;
  desktop: DesktopChoices;
}
const SECTIONS = { signals: 'attention', desktop: 'desktop' } as const;

/** Who follows the feed is told now, and told again when it is set back. */
function told<P extends keyof Told, K extends keyof Told[P] & string>(part: P, key: K, value: Told[P][K]): Proof {
  return {
    value: value as Proof['value'],
    script: plainAnswer,
    check: async ({ runtime }) => {
      let now: unknown;
      const end = await runtime.subscribe('attention', { canAnswer: false }, (state) => {
        now = (state[part] as Told[P] | undefined)?.[key];
      });
      await eventually(async () => expect(now).toBe(value));
      const path = `${SECTIONS[part]}.${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
      await runtime.request('settings.set', { path, value: null });
      await eventually(async () => expect(now).not.toBe(value));
      end();
    },
  };
}

export const DESKTOP_PROOFS: Record<string, Proof> = {
  'desktop.tray': told('desktop', 'tray', 'on'),
  'desktop.keep_awake': told('desktop', 'keepAwake', false),
  'desktop.quick_entry': told('desktop', 'quickEntry', 'Alt+Space'),
  'desktop.spell_check': told('desktop', 'spellCheck', 'off'),
};

export const ATTENTION_PROOFS: Record<string, Proof> = {
  'attention.sound_blocked': told('signals', 'soundBlocked', true),
  'attention.sound_done': told('signals', 'soundDone', true),
  'attention.volume': told('signals', 'volume', 20),
  'attention.notifications': told('signals', 'notifications', 'off'),
  'attention.repeats': told('signals', 'repeats', 0),
  'attention.away_seconds': told('signals', 'awaySeconds', 120),
  'attention.quiet_from': told('signals', 'quietFrom', '22:00'),
  'attention.quiet_to': told('signals', 'quietTo', '07:30'),
};

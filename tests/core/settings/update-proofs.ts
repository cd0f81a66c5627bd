/** What changes when updates are turned off. */
import { expect } from 'vitest';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { Updates } from '../../../electron/desktop/updates.ts';
import type { Proof } from './live-settings.test.ts';

export const UPDATE_PROOFS: Readonly<Record<string, Proof>> = {
  'updates.check': {
    value: false,
    script: plainAnswer,
    check: async ({ runtime }) => {
      let asked = 0;
      const check = async () => {
        asked += 1;
        return null;
      };
      const none = () => Promise.reject(new Error('There is nothing'));
      const source = { check, download: none, install: () => false, isQuiet: true };
      const updates = new Updates({
        source,
        backUp: none,
        offer: none,
        quit: () => undefined,
        refused: () => undefined,
        report: () => undefined,
      });
      await updates.follow(runtime);
      expect([await updates.look(), asked]).toEqual(['off', 0]);
      await runtime.request('settings.set', { path: 'updates.check', value: true });
      expect([await updates.look(), asked]).toEqual(['none', 1]);
    },
  },
};

/** What the settings of telemetry change: proofs for `live-settings.test.ts`. */
import { expect } from 'vitest';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { startCollector } from '../../support/telemetry/collector.ts';
import type { Proof } from './live-settings.test.ts';

const NOBODY = 'http://127.0.0.1:49151';

export const TELEMETRY_PROOFS: Record<string, Proof> = {
  'telemetry.endpoint': {
    value: NOBODY,
    script: plainAnswer,
    // That spans go there is the next proof.
    check: async ({ runtime }) =>
      expect(await runtime.request('telemetry.state', {})).toMatchObject({ endpoint: NOBODY }),
  },
  'telemetry.content': {
    value: true,
    script: plainAnswer,
    own: {},
    check: async (engine) => {
      const { runtime } = engine;
      const collector = await startCollector();
      await runtime.request('settings.set', { path: 'telemetry.endpoint', value: collector.url });
      await engine.ask('Go there');
      const [top] = (await collector.have(3)).filter(({ parentSpanId }) => parentSpanId === undefined);
      expect(top?.attributes['acp.prompt']).toBe('Go there');
      await runtime.request('settings.set', { path: 'telemetry.content', value: false });
      await engine.ask('Go back');
      expect(JSON.stringify((await collector.have(6)).slice(3))).not.toContain('Go back');
    },
  },
};

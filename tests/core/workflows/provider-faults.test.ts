// What servers do wrong, through the engine: asked again or not as the fault wants it, each attempt counted once.
import { expect, test } from 'vitest';
import type { ErrorCode } from '#contract/error.ts';
import { type Harness, providerAt, startEngine } from '../../support/engine.ts';
import { PROTOCOLS } from '../../support/fake-model/exchange.ts';
import { type Fault, FAULTS, startFaulty } from '../../support/fake-model/faults.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { inFullRun } from '../../support/samples.ts';

const WORDS = 'Grüße aus Zürich';
/** Those that end by themselves, and with words. */
const PLAYED = FAULTS.filter(({ stopMs, outcome }) => stopMs === undefined && outcome !== 'empty');

/** The code of each attempt, null where it came whole. */
function attemptsOf(engine: Harness): (ErrorCode | null)[] {
  return engine.of('usage').map(({ request }) => request.error?.code ?? null);
}

function expected({ outcome }: Fault): (ErrorCode | null)[] {
  if (typeof outcome === 'string') return [null];
  const [code, retryable] = outcome;
  return retryable ? [code, null] : [code];
}

const cases = PROTOCOLS.flatMap((protocol, at) => {
  // A few of each kind; the adapters alone are tried with all of them.
  const every = inFullRun ? 1 : 19;
  return PLAYED.filter((_, index) => index % every === (5 * at) % every).map(
    (fault) => [protocol, fault.name, fault] as const,
  );
});

test.for(cases)(
  'over %s the fault %s is retried or ends the run, and each attempt is counted',
  async ([protocol, , fault]) => {
    const server = await startFaulty();
    server.next([fault], [text(WORDS, { deltas: 4 })]);
    const engine = await startEngine(new Script(), { settings: providerAt(server.url, protocol) });
    const { outcome } = await engine.ask('Say it');
    const attempts = expected(fault);
    expect(attemptsOf(engine)).toEqual(attempts);
    expect(server.requests).toHaveLength(attempts.length);
    expect(outcome).toBe(attempts.at(-1) === null ? 'completed' : 'error');
    const parts = engine
      .of('message-end')
      .flatMap(({ entry }) => (entry.kind === 'assistant' && !entry.interrupted ? entry.parts : []));
    expect(parts).toEqual(attempts.at(-1) === null ? [{ type: 'text', text: WORDS }] : []);
  },
);

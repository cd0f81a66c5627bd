// What was refused stands at its field, in words and not in the notation of a checker.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Envelope } from '#contract/agent.ts';
import { asSentences, fieldProblems } from '#lib/words/field-problems.ts';
import { envelopeOf } from '../../support/envelope.ts';

function refusal(edit: object): string {
  const parsed = Envelope.safeParse({ ...envelopeOf('a', 'Look.'), ...edit });
  if (parsed.success) throw new Error('this edit fits');
  return `The edited settings do not fit: ${z.prettifyError(parsed.error)}`;
}

describe('fieldProblems', () => {
  it('names each field that does not fit', () => {
    const message = refusal({
      maxTokens: null,
      limits: { maxIterations: 5000, inactivityMs: 0, budget: { minutes: 0 } },
      prompt: '',
    });
    expect(fieldProblems(message)).toEqual(
      expect.arrayContaining([
        { field: 'maxTokens', problem: 'must be a whole number' },
        { field: 'maxIterations', problem: 'cannot be more than 200' },
        { field: 'inactivityMs', problem: 'must be at least 1' },
        { field: 'minutes', problem: 'must be more than 0' },
        { field: 'prompt', problem: 'is empty' },
      ]),
    );
  });

  it('finds the field of a limit above the maximum, in the units of the form', () => {
    const allows = 'cannot be more than limits.max_iterations_ceiling allows (20)';
    expect(fieldProblems(`maxIterations ${allows}`)).toEqual([{ field: 'maxIterations', problem: allows }]);
    expect(
      asSentences(fieldProblems('inactivityMs cannot be more than limits.inactivity_seconds allows (600000)')),
    ).toBe('The inactivity limit in seconds cannot be more than limits.inactivity_seconds allows (600)');
  });

  it('finds no field in other messages', () => {
    expect(fieldProblems('Another window was first')).toEqual([]);
  });
});

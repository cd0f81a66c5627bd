/** The words about work in progress: plans, bounds, waiting, further attempts, what was saved of a run; and what work used. */
import type { Outcome } from '#contract/outcome.ts';
import type { TokenParts } from '#domain/tally.ts';
import type { BudgetKind } from '#lib/view/budgets.ts';
import { tokens } from '#lib/view/format.ts';
import { plural } from './sentences.ts';

export const usageWords = {
  /** Tokens of all classes. */
  sum: (value: string) => `${value} tokens`,
  /** What they consist of. */
  parts: ({ input, classes, output, estimated }: TokenParts) => {
    const inputs = classes
      ? `${tokens(classes.fresh)} fresh, ${tokens(classes.cached)} cached${classes.written > 0 ? `, ${tokens(classes.written)} written to the cache` : ''}`
      : `${tokens(input)} in`;
    return `${inputs}, ${tokens(output)} out${estimated > 0 ? `, of which ${tokens(estimated)} estimated` : ''}`;
  },
  /** The share of the input that the provider had kept. */
  cached: (percent: number) => `cached ${percent} %`,
  searches: (value: number) => (value === 1 ? '1 search of the web' : `${value} searches of the web`),
  estimated: (value: string) => `of which ${value} estimated`,
  estimatedWhy: 'Requests that were cut off: the count of the provider is not known',
  costUnknown: 'Cost unknown: a model without a price was used',
  costKnown: 'Cost',
  unknownCost: 'cost unknown',
} as const;

export const workWords = {
  plan: {
    label: 'Plan',
    progress: (done: number, all: number) => `${done} of ${all}`,
    done: 'All steps are done',
    states: { pending: 'to do', in_progress: 'at work', completed: 'done' },
    highPriority: 'high priority',
  },
  budget: {
    label: 'Used of what is allowed',
    limit: {
      tokens: (of: number) => plural(of, 'token', 'tokens'),
      costUsd: (of: number) => `$${of}`,
      minutes: (of: number) => plural(of, 'minute', 'minutes'),
      iterations: (of: number) => plural(of, 'turn', 'turns'),
    } satisfies Readonly<Record<BudgetKind, (of: number) => string>>,
    used: {
      tokens: (used: string, of: string) => `${used} of ${of} tokens`,
      costUsd: (used: string, of: string) => `${used} of ${of}`,
      minutes: (used: string, of: string) => `${used} of ${of} min`,
      iterations: (used: string, of: string) => `${used} of ${of} ${of === '1' ? 'turn' : 'turns'}`,
    },
    extend: 'Extend',
    extendLabel: 'How much more',
    add: {
      tokens: 'Tokens to add',
      costUsd: 'Dollars to add',
      minutes: 'Minutes to add',
      iterations: 'Turns to add',
    },
    goOn: 'Extend and go on',
    raise: 'Extend',
    finish: 'Finish now',
    stop: 'Stop',
    extending: 'Extending…',
    cancel: 'Not now',
    nothing: 'Enter how much to add in at least one field.',
    kept: 'Everything up to here is kept; with more it goes on from there.',
  },
  wait: {
    /** Follows the word for the state. */
    since: (time: string) => time,
    model: 'waiting for the model',
    modelWhy: 'Its provider answers so many requests at a time: it is next in line.',
    /** How long a workflow worked, and how long it waited for answers. */
    worked: (time: string) => `${time} work`,
    forYou: (time: string) => `${time} waiting for you`,
    behind: (message: string) => `queued behind “${message}”`,
  },
  /** A request that waits for its provider. */
  provider: {
    waiting: 'Waiting for the provider.',
    nextTry: (time: string) => `Next try in ${time}`,
    trying: 'Trying now…',
    silent: 'No answer yet.',
    silentFor: (time: string) => `Waiting for ${time}`,
    silentHelp: 'The model may still be working. Try now sends the request again, and both can cost.',
    tryNow: 'Try now',
    stop: 'Stop',
  },
  again: {
    run: 'Try again',
    trying: 'Starting…',
    message: 'Send again',
  },
  /** Of a sub-agent, by the person; `reason`: empty where none was given. */
  rejected: (reason: string) => `Rejected by you${reason === '' ? '' : `: ${reason}`}`,
  /** Says of what a run left behind how it came about. */
  salvage: {
    cancelled: 'What it had when it was stopped',
    timed_out: 'What it had when its time was up',
    budget_exceeded: 'What it had when its budget was used up',
    refused: 'What it had when the model declined',
    error: 'What it had when it failed',
    interrupted: 'What it had when it was interrupted',
  } as Readonly<Partial<Record<Outcome, string>>>,
  demo: {
    label: 'Demo',
    hint: 'Scripted answers, without a model and without a network',
  },
  find: {
    label: 'Find in this conversation',
    hint: 'Find',
    next: 'Next',
    previous: 'Previous',
    close: 'Close',
    count: (at: number, all: number) => (all === 0 ? 'nothing found' : `message ${at} of ${all}`),
    earlier: 'Only the messages that are loaded are looked through.',
  },
  steps: {
    earlier: (value: number) => `Show ${plural(value, 'earlier step', 'earlier steps')}`,
    later: (value: number) => `Show ${plural(value, 'later step', 'later steps')}`,
  },
} as const;

/** The words of a yes for more than once, and of the second step before what cannot be undone. */
import type { GrantScope } from '#contract/permission.ts';

const allow: Readonly<Record<GrantScope, string>> = {
  workflow: 'Allow in this workflow',
  conversation: 'Allow in this conversation',
  project: 'Always allow for this project',
};

export const grantWords = {
  more: 'More than once…',
  heading: 'Not asked again',
  for: 'For',
  scopes: {
    workflow: 'this workflow',
    conversation: 'this conversation',
    project: 'this project, always',
  } as const satisfies Record<GrantScope, string>,
  who: (agent: string, tool: string) =>
    tool === 'delegate_task'
      ? `${agent} may start, one by itself and not in a batch, and no other agent may:`
      : `${agent} may use ${tool}, and no other agent or tool, on:`,
  pattern: 'Pattern',
  patternHint: '* stands for a part of a name, ** for any folders',
  minutes: 'Ends after minutes',
  calls: 'Ends after calls',
  endless: 'no end',
  /** `isAsked`: it is the pattern that was offered, of the file that is asked about. */
  matches: (names: readonly string[], more: boolean, isAsked: boolean) =>
    names.length === 0
      ? isAsked
        ? 'It matches this file only.'
        : 'It matches no file that exists now.'
      : `It matches now: ${names.join(', ')}${more ? ' and more' : ''}.`,
  allow,
  irreversible: 'This cannot be undone.',
  saidIrreversible: 'Its agent says that this cannot be undone.',
  confirm: 'Allow what cannot be undone',
  back: 'Back',
  given: (sentence: string, scope: string) => `Granted for ${scope}: ${sentence}`,
} as const;

/** Who works in a control flow, and under which bound, in one sentence. Pure. */
import type { Flow } from '#contract/agent.ts';

export function flowWords(agent: string, { type, rounds, primary, coagent }: Flow): string {
  const who = primary === agent ? agent : `${agent} (${primary})`;
  const other = coagent?.agent ?? '';
  const most = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
  switch (type) {
    case 'hitl':
      return `${who} works alone, until its first whole answer`;
    case 'loop':
      return coagent
        ? `${who} and ${other} take turns until ${agent} calls the work complete, for at most ${most}`
        : `${who} works alone until it calls the work complete, for at most ${most}`;
    case 'judge':
      return `${who} works, and ${other} judges each of its answers, for at most ${most}`;
    case 'smart':
      return `${who} works, and ${other} judges each of its answers or completes it itself, for at most ${most}`;
    case 'chat':
      return `${who} and ${other} take turns until ${other} calls the work complete, for at most ${most}`;
  }
}

/** How a sub-agent stands, with all that serves it. Pure. */
import type { RunRow } from '#contract/view.ts';
import { chainOf, familyOf, type Link, linkAt, phaseOfChain, type Rows } from './family.ts';
import { isActive, type Phase } from './phase.ts';

export interface AgentLook {
  /** Its chain: itself alone where nothing follows it. */
  links: Link[];
  isChain: boolean;
  /** Where its chain is: the run itself where nothing follows it. */
  at: RunRow;
  family: RunRow[];
  /** Whoever of them works now: the coagent where the work is with it. */
  working: RunRow;
  phase: Phase;
  active: boolean;
}

export function agentLookOf(run: RunRow, rows: Rows): AgentLook {
  const links = chainOf(run, rows.runs);
  const at = linkAt(links) ?? run;
  const family = familyOf(run, rows.runs);
  const phase = phaseOfChain(run, rows);
  const working = family.findLast(({ status }) => status === 'running') ?? at;
  return { links, isChain: links.length > 1, at, family, working, phase, active: isActive(phase) };
}

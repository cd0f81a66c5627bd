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
  /** Its place there, from 0: the run that the chain begins with is none of its stages. */
  place: number;
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
  const place = links.findIndex((link) => link.run?.id === at.id);
  return { links, isChain: links.length > 1, at, place, family, working, phase, active: isActive(phase) };
}

/** The sentences about a sub-agent's own actions that fit the settings with which it would start. */
import type { Envelope } from './agent.ts';
import type { SpawnItem } from './approval.ts';

/** Empty if the question does not contain the sentences. */
export function ownActionsText(
  { ownActions }: Pick<SpawnItem, 'ownActions'>,
  { tools, approvalMode }: Pick<Envelope, 'tools' | 'approvalMode'>,
): string {
  if (!ownActions) return '';
  return ownActions.writers.some((name) => tools.includes(name)) ? ownActions.byMode[approvalMode] : ownActions.without;
}

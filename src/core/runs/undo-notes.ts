/** Informs an agent of the person's undos of files, once, before its next request. */
import type { Undo } from '#contract/change.ts';
import type { Entry } from '#contract/message.ts';
import type { Transcript } from '#core/store/log/transcript.ts';
import type { Engine } from './engine.ts';
import type { RunPlan } from './run-plan.ts';

const MAX_PATHS = 20;

/** A message to the agent, and the ids of the undos that it describes. */
interface UndoMessage {
  text: string;
  undos: string[];
}

interface UndoNotesDependencies {
  engine: Engine;
  plan: RunPlan;
  history: Transcript;
}

/** The undos that concern one run. */
export class UndoNotes {
  readonly #changes: Engine['workspaces']['changes'];
  readonly #plan: RunPlan;
  readonly #history: Transcript;
  /** Number of undos of the conversation at the last check; null before the first. */
  #seen: number | null;
  /** Copied calls whose undos were not checked yet. */
  #copies: Copies;

  constructor({ engine, plan, history }: UndoNotesDependencies) {
    this.#changes = engine.workspaces.changes;
    this.#plan = plan;
    this.#history = history;
    // A first run has nothing to undo, so its start does not wait for the disk.
    const isNew = plan.stored.calls.length === 0 && plan.prior.length === 0;
    this.#seen = isNew ? this.#changes.undoCount(plan.recorder.ids.conversationId) : null;
    this.#copies = plan.stored;
  }

  /** Returns the undos that the agent has not been informed of; null if there are none. */
  async takeNew(): Promise<UndoMessage | null> {
    const { conversationId, runId } = this.#plan.recorder.ids;
    // Undos of copied calls in the first conversations. They happened before the first step of this run.
    const there = describeUndos(await undosOfCopies(this.#changes, this.#copies), this.#history.entries, null);
    this.#copies = NO_COPIES;
    if (there) return there;
    const count = this.#changes.undoCount(conversationId);
    if (count === this.#seen) return null;
    this.#seen = count;
    const undos = await this.#changes.undos(conversationId);
    if (undos.length === 0) return null;
    const said = [...this.#plan.prior.flatMap((one) => one.history.entries), ...this.#history.entries];
    return describeUndos(undos, said, this.#plan.kind === 'lead' ? null : runId);
  }
}

type Copies = Pick<RunPlan['stored'], 'entries' | 'children'>;
const NO_COPIES: Copies = { entries: [], children: [] };

/** Returns the undos, in the first conversations, of calls that a fork has copied; in order of time. */
async function undosOfCopies(changes: Engine['workspaces']['changes'], { entries, children }: Copies): Promise<Undo[]> {
  const calls = entries.flatMap((one) =>
    one.kind === 'tool' && one.copiedFrom ? [{ ...one.copiedFrom, ...one }] : [],
  );
  const runs = children.flatMap(({ copiedFrom }) => copiedFrom ?? []);
  const isCopied = (call: Undo['calls'][number]): boolean =>
    runs.some(({ runId }) => runId === call.runId) ||
    calls.some(({ runId, toolCallId }) => runId === call.runId && toolCallId === call.toolCallId);
  const ids = new Set([...calls, ...runs].map(({ conversationId }) => conversationId));
  const found = await Promise.all([...ids].map((id) => changes.undos(id)));
  const undos = found.flat().filter((undo) => undo.calls.some(isCopied));
  return undos.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/**
 * Returns the message about new undos; null if there are none. `runId`: only undos of this run; null for a lead, which is
 * informed of all.
 */
export function describeUndos(
  undos: readonly Undo[],
  entries: readonly Entry[],
  runId: string | null,
): UndoMessage | null {
  const told = new Set(entries.flatMap((entry) => (entry.kind === 'user' ? (entry.undos ?? []) : [])));
  const isNew = ({ id, calls, files, takesBack, redone }: Undo): boolean => {
    if (files.length === 0 || told.has(id) || (runId !== null && calls.every((call) => call.runId !== runId)))
      return false;
    // Undone and redone before the agent was informed: nothing has changed.
    return takesBack.length === 0 ? !redone : takesBack.some((one) => told.has(one));
  };
  const fresh = undos.filter(isNew);
  if (fresh.length === 0) return null;
  const text = [
    'The person changed what was done in files:',
    ...fresh.map((undo) => `- ${sentence(undo, runId)}`),
    'Read these files again before you rely on what they held, and do not do again what was undone unless you are asked to.',
  ].join('\n');
  return { text, undos: fresh.map(({ id }) => id) };
}

function sentence({ calls, files, takesBack }: Undo, runId: string | null): string {
  const paths = files.slice(0, MAX_PATHS).map(({ path }) => path);
  const more = files.length > paths.length ? ` and ${files.length - paths.length} more` : '';
  const agents = [...new Set(calls.map(({ agent }) => agent))];
  const whose = runId === null ? `what ${agents.join(', ')} did` : 'what you did';
  const how = calls.every(({ path, hunk }) => path === null && hunk === null) ? whose : `a part of ${whose}`;
  return takesBack.length > 0
    ? `did again ${how}: ${paths.join(', ')}${more}`
    : `undid ${how}: ${paths.join(', ')}${more}`;
}

/** Model requests that wait for their provider, by the run that makes them. Pure. */
import type { AgentEvent } from '#contract/event.ts';
import { findProviderWait } from '#contract/messages/find-provider-wait.ts';
import type { ProviderWait } from '#contract/messages/provider-wait.ts';
import type { OpenMessage } from '#contract/view.ts';

interface ViewWithWaits {
  waits: Readonly<Record<string, ProviderWait>>;
  open: OpenMessage[];
}

/** Returns the view with the waits as they are after an event. A failed attempt also ends its message. */
export function withWait<V extends ViewWithWaits>(view: V, event: AgentEvent): V {
  const wait = findProviderWait(event);
  const { runId } = event;
  if (wait === undefined || (wait === null && !(runId in view.waits))) return view;
  const { [runId]: _before, ...others } = view.waits;
  if (wait === null) return { ...view, waits: others };
  const open = wait.error ? view.open.filter((message) => message.runId !== runId) : view.open;
  return { ...view, open, waits: { ...others, [runId]: wait } };
}

/** The runtime for another process of this installation: adds its default folder and tracks its workflows. */
import type { Client, Input, MethodName, Output } from '#contract/rpc.ts';

export interface Guest {
  readonly client: Client;
  /** Ids of the workflows that it started or continued. */
  readonly workflows: ReadonlySet<string>;
}

/** `folder`: default folder of its requests. */
export function guestOf(runtime: Client, folder: string): Guest {
  const workflows = new Set<string>();
  const request = async <M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> => {
    // The runtime parses the input; here it is still unchecked.
    const given = IN_FOLDER.has(method) ? ({ folder, ...(input as object) } as Input<M>) : input;
    const output = await runtime.request(method, given);
    const id = STARTS.has(method) ? workflowIn(output) : RESUMES.has(method) ? workflowIn(input) : null;
    if (id !== null) workflows.add(id);
    return TELLS_FOLDER.has(method) ? { ...output, folder } : output;
  };
  const subscribe: Client['subscribe'] = (topic, input, listener) => runtime.subscribe(topic, input, listener);
  return { client: { request, subscribe }, workflows };
}

const IN_FOLDER: ReadonlySet<MethodName> = new Set<MethodName>([
  ...(['conversation.create', 'agents.list', 'agents.get', 'agents.check', 'trust.look'] as const),
]);
const STARTS: ReadonlySet<MethodName> = new Set<MethodName>(['message.send', 'run.retry', 'run.extend']);
const RESUMES: ReadonlySet<MethodName> = new Set<MethodName>(['workflow.resume', 'workflow.extend']);
const TELLS_FOLDER: ReadonlySet<MethodName> = new Set<MethodName>([
  ...(['app.state', 'provider.set', 'provider.add', 'provider.remove'] as const),
]);

function workflowIn(value: unknown): string | null {
  const id = (value as { workflowId?: unknown } | null)?.workflowId;
  return typeof id === 'string' ? id : null;
}

/** Tool calls as the permission explainer takes them: the relevant fields of each tool, and the call of a question. */
import type { Approval, ApprovalRequest } from '#contract/approval.ts';
import type { Verdict } from '#contract/permission.ts';
import type { Input } from '#contract/rpc.ts';

/** The fields that rules are matched against: what is left out of the rest is filled in where the call is explained. */
interface Form {
  fields: readonly string[];
  /** May be left out. */
  optional?: readonly string[];
}

const FORMS: Readonly<Record<string, Form>> = {
  read_file: { fields: ['path'] },
  write_file: { fields: ['path'] },
  edit_file: { fields: ['path'] },
  list_directory: { fields: ['path'], optional: ['path'] },
  glob: { fields: ['pattern', 'path'], optional: ['path'] },
  grep: { fields: ['pattern', 'path'], optional: ['path'] },
  spawn_agent: { fields: ['name'] },
  delegate_task: { fields: ['agent_id'] },
};

/** Names of the fields of a tool's form; empty for a tool whose arguments are written as JSON. */
export function explainFieldsOf(tool: string): readonly string[] {
  return FORMS[tool]?.fields ?? [];
}

export type Values = Readonly<Record<string, string>>;

/** The arguments of a tool from its form's fields; `base`: the original arguments, for fields that the form lacks. */
export function callInputOf(tool: string, values: Values, base: unknown = null): Record<string, unknown> {
  const { fields, optional = [] } = FORMS[tool] ?? { fields: [] };
  const given = fields.flatMap((field) => {
    const value = values[field] ?? '';
    return value === '' && optional.includes(field) ? [] : [[field, value] as const];
  });
  const known = isRecord(base) ? Object.entries(base).filter(([field]) => !fields.includes(field)) : [];
  return { ...Object.fromEntries(known), ...Object.fromEntries(given) };
}

/** The arguments of a call that are strings, by name. */
export function textFieldsOf(input: unknown): Record<string, string> {
  const fields = isRecord(input) ? Object.entries(input) : [];
  return Object.fromEntries(
    fields.flatMap(([field, value]) => (typeof value === 'string' ? [[field, value] as const] : [])),
  );
}

export interface ExplainedCall {
  agent: string;
  tool: string;
  input: unknown;
}

/** Whether a question is about a call that rules could allow. */
export function canExplain({ subject }: Pick<ApprovalRequest, 'subject'>): boolean {
  return subject.kind === 'tool' || subject.kind === 'envelopes';
}

/** What the rules and grants say by now of an item that is still asked about; null where they ask too, or it is answered. */
export function changedSince(
  { decisions }: Pick<Approval, 'decisions'>,
  item: number,
  verdict: Pick<Verdict, 'effect'> | null,
): 'allow' | 'deny' | null {
  if (decisions[item] !== null || !verdict || verdict.effect === 'ask') return null;
  return verdict.effect;
}

/** The query string of the page that explains a question, without `?`. */
export function explainQueryOf({ workflowId, id }: Pick<ApprovalRequest, 'workflowId' | 'id'>, item: number): string {
  return `workflow=${workflowId}&approval=${id}&item=${item}`;
}

/** The call that an item of a question is about; null where no rule could allow it (actions and questions). */
export function callOf({ request }: Approval, item: number): ExplainedCall | null {
  const { agent, subject } = request;
  if (subject.kind === 'tool') return { agent, tool: subject.tool, input: subject.input };
  if (subject.kind !== 'envelopes') return null;
  const name = subject.items[item]?.envelope.agent ?? '';
  if (subject.operation === 'spawn') return { agent, tool: 'spawn_agent', input: callInputOf('spawn_agent', { name }) };
  if (subject.operation === 'delegate')
    return { agent, tool: 'delegate_task', input: callInputOf('delegate_task', { agent_id: name }) };
  return {
    agent,
    tool: 'parallel_tasks',
    input: { operation: 'execute_batch', tasks: [{ agent_id: name, prompt: '-' }] },
  };
}

/** What is asked about it; null where there is no such call. */
export function explainInputOf(approval: Approval, item: number): Input<'permissions.explain'> | null {
  const call = callOf(approval, item);
  const { conversationId, workflowId } = approval.request;
  return call === null ? null : { ...call, conversationId, workflowId };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

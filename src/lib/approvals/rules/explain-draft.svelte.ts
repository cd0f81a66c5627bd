/** The form of the permission explainer: a tool call, and the verdict on it. */
import type { Approval } from '#contract/approval.ts';
import type { Verdict } from '#contract/permission.ts';
import type { Input } from '#contract/rpc.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';
import {
  callOf,
  type ExplainedCall,
  explainFieldsOf,
  callInputOf,
  textFieldsOf,
} from '#lib/view/permissions/explain-call.ts';

export class ExplainDraft {
  agent = $state('lead');
  tool = $state('write_file');
  /** Values of the form's fields by name, for tools that have fields. */
  values = $state<Record<string, string>>({});
  json = $state('{}');
  /** Empty for a new conversation. */
  conversationId = $state('');
  /** The workflow of the explained question; empty where none is explained. */
  workflowId = $state('');
  verdict = $state.raw<Verdict | null>(null);
  /** The call that the verdict is about, whatever the form says by now. */
  explained = $state.raw<ExplainedCall | null>(null);
  failure = $state.raw<RequestError | null>(null);
  /** Why the box is not JSON; empty where it is. */
  notJson = $state('');
  busy = $state(false);
  readonly fields = $derived.by(() => explainFieldsOf(this.tool));
  readonly #connection: Connection;
  #asked: Input<'permissions.explain'> | null = null;
  /** The call of the explained question: it fills in arguments that the form lacks, for the same tool only. */
  #original: { tool: string; input: unknown } | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Fills the form with the call of a question. Returns false where no rule could allow it. */
  prefill(approval: Approval, item: number): boolean {
    const call = callOf(approval, item);
    if (!call) return false;
    this.#original = call;
    this.agent = call.agent;
    this.tool = call.tool;
    this.values = textFieldsOf(call.input);
    this.json = JSON.stringify(call.input, null, 2);
    this.conversationId = approval.request.conversationId;
    this.workflowId = approval.request.workflowId;
    return true;
  }

  async explain(folder: string): Promise<void> {
    if (this.busy) return;
    this.notJson = '';
    const input = this.#input();
    if (input === undefined) return;
    const { agent, tool, conversationId, workflowId } = this;
    await this.#ask({
      agent,
      tool,
      input,
      ...(workflowId === '' ? {} : { workflowId }),
      ...(conversationId === '' ? { folder } : { conversationId }),
    });
  }

  /** What was explained, as the rules are by now; whatever the form says meanwhile. */
  async again(): Promise<void> {
    if (this.verdict && this.#asked && !this.busy) await this.#ask(this.#asked);
  }

  async #ask(asked: Input<'permissions.explain'>): Promise<void> {
    this.busy = true;
    this.#asked = asked;
    try {
      this.verdict = await this.#connection.request('permissions.explain', asked);
      const { agent, tool, input } = asked;
      this.explained = { agent, tool, input };
      this.failure = null;
    } catch (error) {
      this.verdict = null;
      this.failure = asRequestError(error);
    } finally {
      this.busy = false;
    }
  }

  /** The arguments of the call; undefined where the box is not JSON, with the reason in `notJson`. */
  #input(): unknown {
    const { tool } = this;
    if (this.fields.length > 0)
      return callInputOf(tool, this.values, this.#original?.tool === tool ? this.#original.input : null);
    try {
      return JSON.parse(this.json) as unknown;
    } catch (error) {
      this.notJson = error instanceof Error ? error.message : String(error);
      return undefined;
    }
  }
}

/** What a session can be set to: its lead, the model and the approval mode of its next messages. */
import { filterLeads } from '#contract/agents/lead-choice.ts';
import { RequestError, type SessionConfigOption, type SessionModeState } from '@agentclientprotocol/sdk';
import { ApprovalMode } from '#contract/agent.ts';
import type { LeadChoice } from '#contract/messages/sending.ts';
import type { Client, Output } from '#contract/rpc.ts';

/** No model is chosen: the lead's own, else that of the settings. */
const NO_MODEL = 'default';

const MODES: Readonly<Record<ApprovalMode, { name: string; description: string }>> = {
  manual: {
    name: 'Manual',
    description: 'Every start of a sub-agent is asked about, and every action that no rule allows',
  },
  selective: { name: 'Selective', description: 'What is risky is asked about' },
  auto: { name: 'Auto', description: 'Only what cannot be undone is asked about' },
};

/** What can be chosen in a folder now. */
interface Offered {
  agents: Output<'agents.list'>;
  models: Output<'app.state'>['provider']['models'];
  defaultModel: string;
  defaultMode: ApprovalMode;
}

export class Choices {
  readonly #offered: Offered;
  #chosen: LeadChoice;
  agent: string;
  /** Something was said: the lead stays. */
  begun: boolean;

  private constructor(offered: Offered, { agent, lastSeq }: { agent: string; lastSeq: number }, chosen: LeadChoice) {
    this.#offered = offered;
    this.#chosen = chosen;
    this.agent = agent;
    this.begun = lastSeq > 0;
  }

  /** `chosen`: with the newest message of the conversation. */
  static async of(
    client: Client,
    conversation: { folder: string; agent: string; lastSeq: number },
    chosen: LeadChoice,
  ): Promise<Choices> {
    const { folder } = conversation;
    const [agents, { provider }, { mode }] = await Promise.all([
      client.request('agents.list', { folder }),
      client.request('app.state', {}),
      client.request('permissions.list', { folder }),
    ]);
    const { models } = provider;
    const defaultModel = provider.defaultModel ?? models[0]?.id ?? '';
    return new Choices({ agents, models, defaultModel, defaultMode: mode }, conversation, chosen);
  }

  /** For `message.send`. */
  get chosen(): LeadChoice {
    return this.#chosen;
  }

  get mode(): ApprovalMode {
    return this.#chosen.mode ?? this.#offered.defaultMode;
  }

  setMode(id: string): void {
    const mode = ApprovalMode.safeParse(id);
    if (!mode.success)
      throw RequestError.invalidParams({}, `There is no mode "${id}": ${ApprovalMode.options.join(', ')}`);
    this.#chosen = { ...this.#chosen, mode: mode.data };
  }

  setModel(id: string): void {
    const { model, ...rest } = this.#chosen;
    const { models } = this.#offered;
    if (id !== NO_MODEL && id !== model && !models.some((one) => one.alias === id || one.id === id)) {
      const known = [NO_MODEL, ...models.map(({ alias }) => alias)].join(', ');
      throw RequestError.invalidParams({}, `There is no model "${id}": ${known}`);
    }
    this.#chosen = id === NO_MODEL ? rest : { ...rest, model: id };
  }

  modes(): SessionModeState {
    const availableModes = ApprovalMode.options.map((id) => ({ id, ...MODES[id] }));
    return { currentModeId: this.mode, availableModes };
  }

  options(): SessionConfigOption[] {
    const { agents, models, defaultModel } = this.#offered;
    const usable = filterLeads(agents, this.agent).filter(({ name }) => !this.begun || name === this.agent);
    const lead = usable.map(({ name, description }) => ({ value: name, name, description }));
    const current = this.#chosen.model ?? NO_MODEL;
    const known = [
      { value: NO_MODEL, name: `Default (${defaultModel})` },
      ...models.map(({ alias, id }) => ({ value: alias, name: alias, description: id })),
    ];
    const model = known.some(({ value }) => value === current) ? known : [...known, { value: current, name: current }];
    const mode = ApprovalMode.options.map((value) => ({ value, ...MODES[value] }));
    const select = { type: 'select' as const };
    return [
      { ...select, id: 'lead', name: 'Lead', category: '_lead', currentValue: this.agent, options: lead },
      { ...select, id: 'model', name: 'Model', category: 'model', currentValue: current, options: model },
      { ...select, id: 'mode', name: 'Approval mode', category: 'mode', currentValue: this.mode, options: mode },
    ];
  }
}

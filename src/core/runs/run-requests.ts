/** The model requests of one run: model, slot at the provider, retries and prices. */
import { RequestRetries } from '#core/model/request-retries.ts';
import type { Model, ModelError, ModelUsage } from '#core/model/model.ts';
import type { ProviderLimiter } from '#core/model/provider-limiter.ts';
import { Stopped } from '#core/base/stop.ts';
import { TriadError } from '#core/base/errors.ts';
import type { Watchdog } from '#core/base/watchdog.ts';
import type { Engine } from './engine.ts';
import type { Envelope } from '#contract/agent.ts';
import type { Capabilities } from '#contract/providers/provider.ts';
import type { Recorder } from '#core/store/log/recorder.ts';
import type { Transcript } from '#core/store/log/transcript.ts';
import type { RunLimits } from './run-limits.ts';
import type { RunPlan } from './run-plan.ts';
import type { Workflow } from './workflow/workflow.ts';

/** The parts of a run that a request needs. The run may have ended. */
export interface Requester {
  readonly envelope: Envelope;
  readonly history: Transcript;
  readonly watchdog: Watchdog;
  readonly recorder: Pick<Recorder, 'publishSilence'>;
  readonly requests: Pick<RunRequests, 'model' | 'retries' | 'admit' | 'price'>;
  readonly limits: Pick<RunLimits, 'admit' | 'withdraw' | 'noteMiscount'>;
}

interface RunRequestsDependencies {
  engine: Engine;
  workflow: Workflow;
  plan: RunPlan;
  watchdog: Watchdog;
}

export class RunRequests {
  readonly #engine: Engine;
  readonly #workflow: Workflow;
  readonly #plan: RunPlan;
  readonly #watchdog: Watchdog;
  #model: Model | null = null;

  constructor({ engine, workflow, plan, watchdog }: RunRequestsDependencies) {
    this.#engine = engine;
    this.#workflow = workflow;
    this.#plan = plan;
    this.#watchdog = watchdog;
  }

  /** Connects to the provider. Rejects with `no_key` if the provider is not set up. */
  async connect(): Promise<void> {
    this.#model = await this.#engine.model(this.#plan.envelope.provider, this.#plan.recorder.ids.conversationId);
  }

  get model(): Model {
    if (!this.#model) throw new TriadError('internal', 'The run is not connected to its provider yet');
    return this.#model;
  }

  /** Maximum number of tokens that the model reads in one request; null if unknown. */
  get contextWindow(): number | null {
    return this.#capabilities.contextWindow;
  }

  /** Returns true if the model accepts pictures. */
  get seesImages(): boolean {
    return this.#capabilities.vision !== false;
  }

  /** Returns true if complete calls start while the rest of their response still arrives. */
  get startsCallsEarly(): boolean {
    // With one request at a time, a sub-agent that starts now would wait for this response.
    return this.#limiter.limit > 1;
  }

  /** Creates the retries of one request. */
  retries(): RequestRetries {
    const { runs, budget, tryNow } = this.#workflow;
    return new RequestRetries({
      ...this.#engine.requests.retryPorts(this.model.provider),
      tryNow,
      interruptsOnSilence: this.#isLead,
      isOtherRunWorking: () => budget.clock.isRunning,
      interrupt: (failure) => runs.controller.abort(createProviderStop(failure)),
    });
  }

  /** Returns the provider's limit of concurrent requests if a request would have to wait now; otherwise null. */
  queue(): number | null {
    return this.#limiter.queue({ free: this.#isLead });
  }

  /** Waits for a slot at the provider, until the signal aborts. Returns the function that releases the slot. */
  async admit(signal: AbortSignal): Promise<() => void> {
    const resume = this.#watchdog.hold();
    // A lead never waits: its own sub-agents may hold all slots. It takes a slot only if one is free.
    return this.#limiter.acquire(this.model, signal, { free: this.#isLead }).finally(resume);
  }

  price(usage: ModelUsage): { nanoUsd: number | null; priceVersion: string | null } {
    return this.#engine.price(this.#plan.envelope.model, usage);
  }

  get #capabilities(): Capabilities {
    const { provider, model } = this.#plan.envelope;
    return this.#engine.capabilities(provider, model);
  }

  get #isLead(): boolean {
    return this.#plan.kind === 'lead';
  }

  get #limiter(): ProviderLimiter {
    return this.#engine.requests.limiter(this.model.provider);
  }
}

/** Returns the stop reason of a workflow whose provider does not answer. */
function createProviderStop({ message }: ModelError): Stopped {
  return new Stopped('provider', `The provider did not answer. Last error: ${message}`);
}

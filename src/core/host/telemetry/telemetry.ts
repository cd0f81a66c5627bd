/** Sends the spans of what happens to the collector that the person names; off, and nothing loaded, where none is named. */
import type { DurableEvent } from '#contract/event.ts';
import type { TelemetryState } from '#contract/telemetry/telemetry-methods.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { fetchFor } from '#core/base/outgoing.ts';
import type { Store } from '#core/store/store.ts';
import { type CollectorPorts, headersOf, keepHeaders, placeOf } from './collector.ts';
import type { Otlp } from './otlp.ts';
import type { Span } from './span.ts';
import { SpanQueue } from './span-queue.ts';
import { WorkflowSpans } from './workflow-spans.ts';

export interface TelemetryPorts extends CollectorPorts {
  store: Pick<Store, 'workflow' | 'events'>;
  version: string;
  /** Gets one line where spans were lost. */
  warn: (line: string) => void;
}

/** Events that spans are made of. */
const TAKEN: ReadonlySet<DurableEvent['type']> = new Set<DurableEvent['type']>([
  ...(['workflow-start', 'workflow-end', 'run-queue', 'run-start', 'run-end', 'turn-end'] as const),
  ...(['message-start', 'message-end', 'usage', 'tool-start', 'tool-end', 'handoff'] as const),
]);

/** Spans that ended so shortly before a process died may not have been sent: they are sent (again). */
const AGAIN_MS = 10_000;
/** Longest time that the end of the program waits for the collector, in milliseconds. */
const CLOSE_MS = 1500;

interface Way {
  endpoint: string;
  otlp: Otlp;
  queue: SpanQueue;
}

export class Telemetry {
  readonly #ports: TelemetryPorts;
  /** Of workflows that run; those whose beginning is being read have the events that came meanwhile. */
  readonly #workflows = new Map<string, WorkflowSpans | DurableEvent[]>();
  readonly #reading = new Set<Promise<void>>();
  /** Workflows that are being taken over. */
  readonly #copied = new Set<string>();
  #way: { endpoint: string; made: Promise<Way> } | null = null;
  /** Of former collectors. */
  #before: Pick<TelemetryState, 'sent' | 'dropped' | 'failure'> = { sent: 0, dropped: 0, failure: null };

  constructor(ports: TelemetryPorts) {
    this.#ports = ports;
  }

  /** True if a collector is set up. */
  get isOn(): boolean {
    return placeOf(this.#ports).endpoint !== null;
  }

  /** Takes every stored event; never waits and never throws. */
  observe(event: DurableEvent): void {
    if (!TAKEN.has(event.type) || !this.isOn) return;
    const { workflowId } = event;
    if (this.#isCopied(event)) return;
    const known = this.#workflows.get(workflowId);
    if (known instanceof WorkflowSpans) return this.#take(known, event);
    if (known) known.push(event);
    else if (event.type === 'workflow-start' && event.attempt === 1) this.#take(this.#begin(workflowId), event);
    else {
      this.#workflows.set(workflowId, [event]);
      const reading = this.#read(event).finally(() => this.#reading.delete(reading));
      this.#reading.add(reading);
    }
  }

  /** What a fork took over was told when it happened. */
  #isCopied(event: DurableEvent): boolean {
    const { workflowId } = event;
    if (event.type === 'workflow-start' && event.copiedFrom) this.#copied.add(workflowId);
    return event.type === 'workflow-end' ? this.#copied.delete(workflowId) : this.#copied.has(workflowId);
  }

  async state(): Promise<TelemetryState> {
    const { endpoint, source } = placeOf(this.#ports);
    const headers = endpoint === null ? null : (await headersOf(this.#ports, endpoint)).headersOf;
    const counts = (await this.#way?.made)?.queue.counts ?? { sent: 0, waiting: 0, dropped: 0, failure: null };
    return {
      endpoint,
      source,
      content: this.#ports.settings.telemetry.content,
      headersOf: headers,
      ...counts,
      sent: counts.sent + this.#before.sent,
      dropped: counts.dropped + this.#before.dropped,
    };
  }

  /** Sends nothing to the collector; why it does not take it, or null. Throws `not_found` where there is none. */
  async test(): Promise<string | null> {
    const { endpoint } = placeOf(this.#ports);
    if (endpoint === null) throw new TriadError('not_found', 'Nothing is sent: set telemetry.endpoint first');
    const { headers } = await headersOf(this.#ports, endpoint);
    try {
      const answer = await fetchFor('telemetry')(`${endpoint.replace(/\/+$/, '')}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"resourceSpans":[]}',
        redirect: 'error',
        signal: AbortSignal.timeout(CLOSE_MS),
      });
      await answer.body?.cancel();
      return answer.ok ? null : `it answers with ${answer.status}`;
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : errorInfo(cause).message;
      return `it does not answer (${code})`;
    }
  }

  async setHeaders(text: string): Promise<TelemetryState> {
    await keepHeaders(this.#ports, text);
    await this.#leave();
    return this.state();
  }

  /** Sends what waits, for a bounded time; says once how much was lost. */
  async close(): Promise<void> {
    const timer = Promise.withResolvers<void>();
    const patience = setTimeout(timer.resolve, CLOSE_MS);
    await Promise.race([Promise.all(this.#reading), timer.promise]);
    clearTimeout(patience);
    await this.#leave();
    const { sent, dropped, failure } = this.#before;
    if (dropped === 0) return;
    const why = failure ?? 'it is too slow';
    this.#ports.warn(`Telemetry: ${dropped} of ${sent + dropped} spans were not taken by the collector (${why})`);
  }

  #begin(workflowId: string): WorkflowSpans {
    const spans = new WorkflowSpans(() => this.#ports.settings.telemetry.content);
    this.#workflows.set(workflowId, spans);
    return spans;
  }

  #take(workflow: WorkflowSpans, event: DurableEvent): void {
    this.#send(workflow.take(event));
    if (event.type === 'workflow-end') this.#workflows.delete(event.workflowId);
  }

  /** Reads what happened before this event, in this process or an earlier one, then takes all that came meanwhile. */
  async #read({ workflowId, conversationId, seq }: DurableEvent): Promise<void> {
    const { store } = this.#ports;
    const waiting = this.#workflows.get(workflowId) as DurableEvent[];
    const row = await store.workflow(workflowId).catch(() => null);
    const events = row ? await store.events(conversationId, row.firstSeq, seq - 1).catch(() => []) : [];
    const own = events.filter((event) => event.workflowId === workflowId);
    const spans = this.#begin(workflowId);
    const before = own.flatMap((event) => spans.take(event));
    const [started, ended] = (['workflow-start', 'workflow-end'] as const).map((type) =>
      own.findLastIndex((event) => event.type === type),
    );
    const last = Date.parse(own.at(-1)?.at ?? '');
    // It was cut: another process was about to send them.
    if (started! > ended!) this.#send(before.filter(({ end }) => end >= last - AGAIN_MS));
    for (const event of waiting) this.#take(spans, event);
  }

  #send(spans: readonly Span[]): void {
    if (spans.length === 0) return;
    void this.#current().then(
      ({ otlp, queue }) => {
        queue.add(spans);
        otlp.measure(spans);
      },
      () => undefined,
    );
  }

  /** The way to the collector that is named now. */
  #current(): Promise<Way> {
    const endpoint = placeOf(this.#ports).endpoint ?? this.#way?.endpoint ?? '';
    if (this.#way?.endpoint === endpoint) return this.#way.made;
    void this.#leave();
    const made = this.#make(endpoint);
    this.#way = { endpoint, made };
    return made;
  }

  async #make(endpoint: string): Promise<Way> {
    const [{ createOtlp }, { headers }] = await Promise.all([import('./otlp.ts'), headersOf(this.#ports, endpoint)]);
    const otlp = createOtlp({ endpoint, headers, version: this.#ports.version });
    return { endpoint, otlp, queue: new SpanQueue((spans) => otlp.send(spans)) };
  }

  /** Ends the way that there is; its numbers stay. */
  async #leave(): Promise<void> {
    const made = this.#way?.made;
    this.#way = null;
    const way = await made?.catch(() => undefined);
    if (!way) return;
    await Promise.all([way.queue.close(CLOSE_MS), way.otlp.close(CLOSE_MS)]);
    const { sent, dropped, failure } = way.queue.counts;
    this.#before = { sent: this.#before.sent + sent, dropped: this.#before.dropped + dropped, failure };
  }
}

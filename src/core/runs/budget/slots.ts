/** The one count of a workflow's sub-agents, shared by spawn, delegation and batches. */
import { TriadError } from '#core/base/errors.ts';

export class Slots {
  readonly #max: number;
  #taken: number;

  /** `taken`: sub-agents that the workflow had started, or asked for, before (a resumed one). */
  constructor(max: number, taken: number) {
    this.#max = max;
    this.#taken = taken;
  }

  get max(): number {
    return this.#max;
  }

  get left(): number {
    return Math.max(0, this.#max - this.#taken);
  }

  /** Takes `count` slots at once, or none and throws. */
  reserve(count: number): void {
    if (count > this.left) throw new TriadError('limit_reached', this.#refusal(count));
    this.#taken += count;
  }

  /** Gives back the slot of a sub-agent that was refused or could not start. */
  release(): void {
    this.#taken -= 1;
  }

  #refusal(count: number): string {
    const rest =
      this.left === 0
        ? 'none can be started any more in this workflow'
        : `only ${this.left} can still be started in this workflow, but ${count} were asked for`;
    return `The maximum of sub-agents for one workflow is ${this.#max}; ${this.#taken} of them are taken: ${rest}. Go on with the reports that you have.`;
  }
}

/** The limits and retries that all requests at a provider share. */
import { ProviderLimiter } from './provider-limiter.ts';
import type { Providers } from './providers/providers.ts';
import type { ProviderRetryPorts } from './request-retries.ts';

type RetryParts = Pick<ProviderRetryPorts, 'clock' | 'isAttended' | 'unattendedMs'>;

export class ProviderRequests {
  readonly #providers: Pick<Providers, 'concurrency' | 'hasAnswered' | 'noteAnswer'>;
  readonly #parts: RetryParts;
  readonly #limiters = new Map<string, ProviderLimiter>();

  constructor(providers: Pick<Providers, 'concurrency' | 'hasAnswered' | 'noteAnswer'>, parts: RetryParts) {
    this.#providers = providers;
    this.#parts = parts;
  }

  limiter(provider: string): ProviderLimiter {
    const limiter = this.#limiters.get(provider) ?? new ProviderLimiter(() => this.#providers.concurrency(provider));
    this.#limiters.set(provider, limiter);
    return limiter;
  }

  retryPorts(provider: string): ProviderRetryPorts {
    return {
      ...this.#parts,
      hasAnswered: () => this.#providers.hasAnswered(provider),
      noteAnswer: () => {
        this.#providers.noteAnswer(provider);
        this.limiter(provider).noteAnswer();
      },
      onAnswer: (listener) => this.limiter(provider).onAnswer(listener),
    };
  }
}

/** The limits and retries that all requests at a provider share. */
import { ProviderLimiter } from './provider-limiter.ts';
import type { Providers } from './providers/providers.ts';
import type { ProviderRetryPorts } from './request-retries.ts';

type RequestProviders = Pick<Providers, 'concurrency' | 'hasAnswered' | 'noteAnswer'>;
type RetryParts = Pick<ProviderRetryPorts, 'clock' | 'isAttended' | 'unattendedMs'>;

export class ProviderRequests {
  readonly #providers: RequestProviders;
  readonly #parts: RetryParts;
  readonly #limiters = new Map<string, ProviderLimiter>();

  constructor(providers: RequestProviders, parts: RetryParts) {
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
        this.limiter(provider).answers.notify();
      },
      onAnswer: (listener) => this.limiter(provider).answers.listen(listener),
    };
  }
}

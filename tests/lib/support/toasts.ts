import type { Toasts } from '#lib/ui/toasts.ts';

/** Toasts that show nothing. */
export const silentToasts: Toasts = { info: () => undefined, error: () => undefined, offer: () => undefined };

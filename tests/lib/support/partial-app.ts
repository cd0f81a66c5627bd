/** Creates an app that has only some of its parts. */
import type { App } from '#lib/app/app.svelte.ts';

/** Returns an app with these parts. Every other part is missing. */
export const createPartialApp = (parts: object): App => parts as App;

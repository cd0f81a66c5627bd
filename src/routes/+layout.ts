// A single-page app: the hosts serve index.html for every path.
import { Languages } from '#lib/app/language.svelte.ts';

export const ssr = false;
export const prerender = false;

let languages: Promise<Languages> | null = null;

/** It may be called again; there is one language for the whole page. */
export const load = async () => ({ languages: await (languages ??= Languages.begin()) });

// A single-page app: the hosts serve index.html for every path.
import { Languages } from '#lib/app/language.svelte.ts';

export const ssr = false;
export const prerender = false;

export const load = async () => ({ languages: await Languages.begin() });

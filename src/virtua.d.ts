// What is used of `virtua/svelte`: another component of it does not pass `exactOptionalPropertyTypes`, and would be
// checked with the rest.
export { default as Virtualizer } from '../node_modules/virtua/lib/svelte/Virtualizer.svelte';
export type { VirtualizerHandle } from '../node_modules/virtua/lib/svelte/Virtualizer.type.d.ts';

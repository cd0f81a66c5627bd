/** All parts in all states, for the eye, for screenshots and for axe: only while developing, never in what is shipped. */
import { error } from '@sveltejs/kit';
import { showsParts } from './shows-parts.ts';

export function load(): void {
  if (!showsParts) error(404);
}

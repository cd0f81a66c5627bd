/** The address of a search of the web: a template that a query is put into. */
import { z } from 'zod';

const PLACE = '{query}';

/** The address that is asked for a query. */
export function addressFor(template: string, query: string): string {
  return template.replaceAll(PLACE, encodeURIComponent(query));
}

/** Host and port that every query goes to. */
export function hostOf(template: string): string {
  return new URL(addressFor(template, '')).host;
}

/** Shown and saved in the clear. The query must not choose where it goes. */
export const SearchUrl = z
  .string()
  .max(2000)
  .refine((text) => isHttp(text), 'must be an http or https address')
  .refine((text) => text.includes(PLACE), `must have ${PLACE} where the query goes`)
  .refine((text) => !hasUserInfo(text), 'must be without a name and password: the key belongs into the key store')
  .refine((text) => isFixed(text), `must have ${PLACE} behind the host`);

export const HeaderName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header');

function isHttp(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(addressFor(text, 'x'));
}

function hasUserInfo(text: string): boolean {
  const url = URL.parse(addressFor(text, 'x'));
  return url !== null && `${url.username}${url.password}` !== '';
}

function isFixed(text: string): boolean {
  const [, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(text) ?? [];
  return !host.includes('{');
}

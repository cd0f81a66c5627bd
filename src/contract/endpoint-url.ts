/** The address of a model endpoint, as settings and clients may give it. */
import { z } from 'zod';

/** It is shown and saved in the clear, so no secret may be in it. */
export const EndpointUrl = z
  .url({
    protocol: /^https?$/,
    error: ({ input }) =>
      input === undefined ? 'is missing: write an http or https address' : 'must be an http or https address',
  })
  .refine((text) => !hasUserInfo(text), 'must be without a name and password: the key belongs into the key field');

function hasUserInfo(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && `${url.username}${url.password}` !== '';
}

/** The Messages API. */
import type { WireBody } from '../request.ts';
import { chunksOf, sse, startOf } from '../stream.ts';
import type { Dialect } from './dialect.ts';

export const messages: Dialect = {
  path: '/v1/messages',
  idPrefix: 'msg_',
  read: (body) => body as WireBody,
  refusal: () => null,
  start: ({ id, model, options }) => startOf(id, model, options),
  chunks: (blocks, { options }, deltaMs, newToolId) => chunksOf(blocks, options, deltaMs, newToolId),
  errorEvent: (type, message) => sse('error', { error: { type, message }, request_id: 'req_fake' }),
  errorBody: (type, message) => ({ type: 'error', error: { type, message }, request_id: 'req_fake' }),
};

/** Identifiers as they cross every boundary: UUIDv7 strings made by the core, plus the call ids that a model gives. */
import { z } from 'zod';

/** A UUIDv7 in its usual 36-character form: sorts by time of creation. */
export const Id = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'is not an id of this program');
export type Id = z.infer<typeof Id>;

/** The id of a tool call: the model's own, made unique within its run. */
export const ToolCallId = z.string().min(1).max(256);

/** An instant as ISO 8601 in UTC with milliseconds. */
export const Instant = z.iso.datetime();

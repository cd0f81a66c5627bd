/** What a person may send beside the words of a message: pictures, texts of files, and what its lead should be for this message. */
import { z } from 'zod';
import { ApprovalMode } from '../agent.ts';
import { Image } from '../message.ts';
import {
  MAX_FILE_CHARS,
  MAX_SENT_FILES,
  MAX_SENT_IMAGE_CHARS,
  MAX_SENT_IMAGES,
  MAX_SENT_IMAGES_CHARS,
} from './sending-limits.ts';

/** `data`: its bytes in base64. What it is, its bytes say: they are looked at. */
export const SentImage = z.strictObject({
  mediaType: Image.shape.mediaType,
  data: z.base64('is not base64').max(MAX_SENT_IMAGE_CHARS, 'is too large: a picture may have 3.75 MB'),
});
export type SentImage = z.infer<typeof SentImage>;

export const SentImages = z
  .array(SentImage)
  .max(MAX_SENT_IMAGES, `are too many: a message may have ${MAX_SENT_IMAGES}`)
  .refine(
    (images) => images.reduce((sum, { data }) => sum + data.length, 0) <= MAX_SENT_IMAGES_CHARS,
    'are too large together: those of a message may have 12 MB',
  );

/** As the file is called; no path. */
export const AttachedName = z.string().min(1).max(255);

/** A file of which the text is sent. */
const SentFile = z.strictObject({
  name: AttachedName,
  text: z.string().max(MAX_FILE_CHARS, 'is too long: a file may have 1,000,000 characters'),
});
export type SentFile = z.infer<typeof SentFile>;

export const SentFiles = z.array(SentFile).max(MAX_SENT_FILES, `are too many: a message may have ${MAX_SENT_FILES}`);

/** Holds for the lead of one workflow and what it hands down; what is left out is as its definition and the settings say. */
export const LeadChoice = z.strictObject({
  model: z.string().min(1).max(200).optional(),
  provider: z.string().min(1).max(200).optional(),
  mode: ApprovalMode.optional(),
});
export type LeadChoice = z.infer<typeof LeadChoice>;

/** What a person may send beside the words of a message: pictures, texts of files, and what its lead should be for this message. */
import { z } from 'zod';
import { ApprovalMode } from '../agent.ts';
import { Image } from '../message.ts';

export const MAX_SENT_IMAGES = 10;
/** In base64: of one picture, and of all of a message together. */
export const MAX_SENT_IMAGE_CHARS = 5_000_000;
export const MAX_SENT_IMAGES_CHARS = 16_000_000;

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

export const MAX_SENT_FILES = 10;
/** Of one file: a model reads a longer one in parts, by its tools. */
export const MAX_FILE_CHARS = 1_000_000;

/** As the file is called; no path. */
export const AttachedName = z.string().min(1).max(255);

/** A file of which the text is sent. */
const SentFile = z.strictObject({
  name: AttachedName,
  text: z.string().max(MAX_FILE_CHARS, 'is too long: a file may have 1,000,000 characters'),
});
export type SentFile = z.infer<typeof SentFile>;

export const SentFiles = z.array(SentFile).max(MAX_SENT_FILES, `are too many: a message may have ${MAX_SENT_FILES}`);

/** The words of a message that has none, only something attached. */
export const LOOK_AT_ATTACHED = 'Look at what is attached.';

/** Holds for the lead of one workflow and what it hands down; what is left out is as its definition and the settings say. */
export const LeadChoice = z.strictObject({
  model: z.string().min(1).max(200).optional(),
  provider: z.string().min(1).max(200).optional(),
  mode: ApprovalMode.optional(),
});
export type LeadChoice = z.infer<typeof LeadChoice>;

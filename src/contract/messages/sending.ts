/** What a person may send beside the words of a message: pictures, and what its lead should be for this message. */
import { z } from 'zod';
import { ApprovalMode } from '../agent.ts';
import { Image } from '../message.ts';

const MAX_SENT_IMAGES = 10;
/** In base64: of one picture, and of all of a message together. */
const MAX_SENT_IMAGE_CHARS = 5_000_000;
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

/** Holds for the lead of one workflow and what it hands down; what is left out is as its definition and the settings say. */
export const LeadChoice = z.strictObject({
  model: z.string().min(1).max(200).optional(),
  provider: z.string().min(1).max(200).optional(),
  mode: ApprovalMode.optional(),
});
export type LeadChoice = z.infer<typeof LeadChoice>;

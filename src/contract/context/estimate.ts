/** About how many tokens something has, where no provider has counted it. */

/** About as many make a token; larger pictures are made smaller by the provider. */
export const CHARS_OF_TOKEN = 4;
const [PIXELS_OF_TOKEN, MAX_IMAGE_TOKENS] = [750, 1600];

export function estimatedTokens(chars: number): number {
  return Math.ceil(chars / CHARS_OF_TOKEN);
}

export function imageTokens({ width, height }: { width: number; height: number }): number {
  return Math.min(MAX_IMAGE_TOKENS, Math.ceil((width * height) / PIXELS_OF_TOKEN));
}

/** What a person reads at a message before which they went back. */
export const LEFT_TEXT = 'The lead is not told of this any more';

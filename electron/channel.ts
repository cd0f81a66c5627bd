/** The one channel between a page and the main process, both ways: frames of the contract, or null at the end. */
export const CHANNEL = 'triad';

/** To the main process alone: the tag of the language that a page speaks, whenever that is set. */
export const LANGUAGE_CHANNEL = 'triad.language';

/** The one channel between a page and the main process, both ways: frames of the contract, or null at the end. */
export const CHANNEL = 'triad';

/** To the main process alone: what the process of a page is like, and what the content policy forbade there. */
export const TOLD_CHANNEL = 'triad.told';

/** To the main process alone: the tag of the language that a page speaks, whenever that is set. */
export const LANGUAGE_CHANNEL = 'triad.language';

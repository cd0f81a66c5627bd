/** The one channel between a page and the main process, both ways: frames of the contract, or null at the end. */
export const CHANNEL = 'triad';

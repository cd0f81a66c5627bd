/** The words of forks at a step, and of the steps that one takes from its cache. */
export const cacheWords = {
  mark: 'from cache, $0',
  paid: 'Done, and paid, where this was forked from: nothing was asked or run again here.',
  open: (mark: string) => `${mark}: open where it was done`,
  fork: {
    open: 'Fork from here',
    title: 'Fork from this step',
    files: 'Files stay as they are.',
    goOn: 'Go on from here',
    goOnWhy:
      'It goes on by itself in a new conversation. What was done until here comes from the cache, at no cost; the rest is asked, and what is started needs your yes.',
    write: 'Fork and write',
    writeWhy: 'A new conversation that ends here. Nothing starts until you write.',
  },
  at: 'Forked at a step of this',
  wentOn: 'What follows goes on from a step there; files stayed as they were.',
} as const;

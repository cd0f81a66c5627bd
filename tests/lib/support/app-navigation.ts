/** `$app/navigation` for components that are rendered without the router: nothing leads anywhere. */
export const goto = (): Promise<void> => Promise.resolve();

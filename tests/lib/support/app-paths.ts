/** `$app/paths` for components that are rendered without the router. */
export const resolve = (path: string): string => path;

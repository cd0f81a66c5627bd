/** `$app/state` for components that are rendered without the router: the page of no route. */
export const page = { route: { id: null }, url: new URL('http://localhost/') };

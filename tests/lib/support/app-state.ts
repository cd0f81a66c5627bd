/** `$app/state` for components without the router: a page that a test can change. */
export const page = { route: { id: null }, url: new URL('http://localhost/') };
export const navigating = { to: null };

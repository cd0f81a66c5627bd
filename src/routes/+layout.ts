// A single-page app: the hosts serve index.html for every path.
export const ssr = false;
export const prerender = false;

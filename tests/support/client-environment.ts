// Node without a DOM, but with Svelte's client build: under vitest's `node` environment `$effect` silently never runs.
export default { name: 'client', viteEnvironment: 'client', setup: () => ({ teardown: () => undefined }) };

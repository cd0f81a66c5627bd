// Lets ESLint read all components into one TypeScript program instead of making a new one for each: half the time.
// Imported before eslint-plugin-svelte, since the parser looks at it while it loads.
process.env.SVELTE_ESLINT_PARSER_EXPERIMENTAL_TS_SYS_HOOK = '1';

/** Known when the client is built: `npm run dev`, or `vite build --mode parts` into `dist/parts`. */
export const showsParts: boolean = import.meta.env.DEV || import.meta.env.MODE === 'parts';

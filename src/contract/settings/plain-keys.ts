/** What is not safe about keys in a plain file; by itself, as the words of a language load no schemas. */
export const PLAIN_KEYS = 'The file is not encrypted: every program that runs under your account can read it';

/** A program that does nothing but import the engine of the store, and says when it has. */
import '@surrealdb/node';
import 'surrealdb';
import { writeSync } from 'node:fs';

writeSync(1, 'here\n');
process.exit(0);

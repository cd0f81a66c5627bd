/** The floor as a program: one workflow from the environment's key and endpoint. */
import { openFloor } from './floor.ts';

const url = process.env['ANTHROPIC_BASE_URL'];
if (!url) throw new Error('ANTHROPIC_BASE_URL is not set');
await openFloor(url, process.cwd()).workflow();
process.exit(0);

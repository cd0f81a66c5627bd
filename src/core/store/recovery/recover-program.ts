/** Child program: builds a new store from a damaged one and prints the report. Argument: `RecoveryPaths` as JSON. */
import { errorInfo } from '../../base/errors.ts';
import { connect, openStore } from '../surreal.ts';
import { namingFullDisk } from '../disk-space.ts';
import { buildRecovered, type RecoveryPaths, UNWRITABLE } from './build-recovered.ts';

// If the parent dies, the next start removes the unfinished store and starts again.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();

try {
  const paths = JSON.parse(process.argv[2] ?? '') as RecoveryPaths;
  const report = await namingFullDisk(paths.target, () => buildRecovered(paths, { connect, openStore }, true));
  await new Promise((done) => process.stdout.write(JSON.stringify(report), done));
  process.exit(0);
} catch (error) {
  process.stderr.write(`${errorInfo(error).message}\n`);
  process.exit(errorInfo(error).code === 'store_unwritable' ? UNWRITABLE : 1);
}

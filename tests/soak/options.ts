/** Options of the programs in this folder. */

/**
 * Reads `--NAME NUMBER` from the command line. Throws for anything but a whole number above 0: seeds that are not numbers
 * all play the same plan, and seed 0 marks the run without a kill.
 */
export function readCount(name: string, defaultValue: number): number {
  const position = process.argv.indexOf(`--${name}`);
  const value = position < 0 ? defaultValue : Number(process.argv[position + 1]);
  if ((!Number.isSafeInteger(value) && value !== Infinity) || value < 1)
    throw new Error(`${name} must be a whole number above 0`);
  return value;
}

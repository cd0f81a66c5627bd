/** Whether a file makes a composition of agents that others define: its folder tells, also where the file has faults. */
export function isComposition(file: string): boolean {
  return /(?:^|[\\/])compositions[\\/][^\\/]+\.toml$/i.test(file);
}

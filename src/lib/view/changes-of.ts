/** The fields in which two JSON values differ; nested fields have dotted names. */

export interface Change {
  field: string;
  before: string;
  after: string;
}

export function changesOf(before: unknown, after: unknown): Change[] {
  const old = flatten(before);
  const now = flatten(after);
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field) => {
    const was = old.get(field) ?? '';
    const is = now.get(field) ?? '';
    return was === is ? [] : [{ field, before: was, after: is }];
  });
}

function flatten(value: unknown, prefix = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Map([[prefix, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]]);
  }
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => [...flatten(inner, prefix === '' ? name : `${prefix}.${name}`)]),
  );
}

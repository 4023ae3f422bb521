import type { Code } from './code-queries.ts';

type Named = Pick<Code, 'uuid' | 'name' | 'description' | 'parent_uuid'>;

/** The codes with a text in their name or description, each with the code that it belongs to. */
export function codesNamed<T extends Named>(codes: readonly T[], wanted: string): T[] {
  const text = wanted.trim().toLowerCase();
  const found = codes.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(text));
  const shown = new Set(found.flatMap(({ uuid, parent_uuid: parent }) => [uuid, parent]));
  return codes.filter(({ uuid }) => shown.has(uuid));
}

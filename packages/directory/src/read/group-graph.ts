import { tryCanonicalDn } from '../dn/dn.ts';

/** Nested groups in reverse: from a group to its parent groups. */
export type GroupGraph = {
  readonly parents: ReadonlyMap<string, readonly string[]>;
};

/** A group with all its members. */
export type GroupEntry = {
  readonly dn: string;
  readonly members: readonly string[];
};

const MAX_REMEMBERED = 20_000;
const remembered = new Map<string, string>();

/**
 * The canonical text of a group's name; a name that is no DN is compared case-insensitively. The results are cached,
 * because the same few names occur in every sign-in.
 */
export function groupKey(name: string): string {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const key = tryCanonicalDn(name) ?? name.trim().toLowerCase();
  remembered.set(name, key);
  return key;
}

/** Stores the memberships of groups in groups only. */
export function invertGroups(groups: readonly GroupEntry[]): GroupGraph {
  const isGroup = new Set(groups.map(({ dn }) => groupKey(dn)));
  const parents = new Map<string, string[]>();
  for (const { dn, members } of groups) {
    for (const member of members) {
      const key = groupKey(member);
      if (!isGroup.has(key)) continue;
      const known = parents.get(key);
      if (known === undefined) parents.set(key, [dn]);
      else known.push(dn);
    }
  }
  return { parents };
}

/** The groups and all their ancestors, each once, at any depth and with cycles. */
export function closure(graph: GroupGraph, start: readonly string[]): string[] {
  const found = new Names(start);
  for (const dn of found) for (const parent of graph.parents.get(groupKey(dn)) ?? []) found.add(parent);
  return [...found];
}

/** Distinct names in insertion order; names that are added during an iteration are visited, too. */
export class Names implements Iterable<string> {
  readonly #byKey = new Map<string, string>();

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name);
  }

  get size(): number {
    return this.#byKey.size;
  }

  has(name: string): boolean {
    return this.#byKey.has(groupKey(name));
  }

  /** @returns whether the name is new. */
  add(name: string): boolean {
    const key = groupKey(name);
    if (this.#byKey.has(key)) return false;
    this.#byKey.set(key, name);
    return true;
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#byKey.values();
  }
}

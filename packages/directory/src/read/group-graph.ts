import { ldapClaimKey } from '../dn/claim-key.ts';

/** Nested groups in reverse: from a group to its parent groups. */
export type GroupGraph = {
  readonly parents: ReadonlyMap<string, readonly string[]>;
};

/** A group with all its members. */
export type GroupEntry = {
  readonly dn: string;
  readonly members: readonly string[];
};

/** Stores the memberships of groups in groups only. */
export function invertGroups(groups: readonly GroupEntry[]): GroupGraph {
  const isGroup = new Set(groups.map(({ dn }) => ldapClaimKey(dn)));
  const parents = new Map<string, string[]>();
  for (const { dn, members } of groups) {
    for (const member of members) {
      const key = ldapClaimKey(member);
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
  for (const dn of found) for (const parent of graph.parents.get(ldapClaimKey(dn)) ?? []) found.add(parent);
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
    return this.#byKey.has(ldapClaimKey(name));
  }

  /** @returns whether the name is new. */
  add(name: string): boolean {
    const key = ldapClaimKey(name);
    if (this.#byKey.has(key)) return false;
    this.#byKey.set(key, name);
    return true;
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#byKey.values();
  }
}

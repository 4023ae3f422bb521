import { tryCanonicalDn } from './dn.ts';

/** Groups inside groups, turned round: from a group to those it is a member of. */
export interface GroupGraph {
  readonly parents: ReadonlyMap<string, readonly string[]>;
}

/** A group with everybody and everything in it. */
export interface GroupEntry {
  readonly dn: string;
  readonly members: readonly string[];
}

const MAX_REMEMBERED = 20_000;
const remembered = new Map<string, string>();

/**
 * One text for all spellings of a group's name; a name that is no DN stands for itself, without regard to case. The same
 * few names come with every sign-in: what was worked out is kept.
 */
export function groupKey(name: string): string {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const key = tryCanonicalDn(name) ?? name.trim().toLowerCase();
  remembered.set(name, key);
  return key;
}

/** Keeps of all memberships those of groups in groups. */
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

/** The groups themselves and all above them, each once, however deep and also in circles. */
export function closure(graph: GroupGraph, start: readonly string[]): string[] {
  const found = new Names(start);
  for (const dn of found) for (const parent of graph.parents.get(groupKey(dn)) ?? []) found.add(parent);
  return [...found];
}

/** Names in the order they came, each once whatever its spelling; what is added while walking is walked too. */
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

  /** Whether it is new. */
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

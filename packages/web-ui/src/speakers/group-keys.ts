/** The keys of the shown groups, and which of them each member had last. */
export type GroupKeys = {
  readonly keys: readonly number[];
  readonly keyOf: ReadonlyMap<string, number>;
  readonly next: number;
};

export const noKeys: GroupKeys = { keys: [], keyOf: new Map(), next: 0 };

/** A group keeps the key that most of its members had, although members join it or leave it. */
export function keysFor(groups: readonly (readonly string[])[], before: GroupKeys): GroupKeys {
  let { next } = before;
  const taken = new Set<number>();
  const earlier = groups.map((members) => {
    const byKey = Map.groupBy(members, (member) => before.keyOf.get(member));
    const [key, found = []] =
      [...byKey].filter(([of]) => of !== undefined).toSorted(([, one], [, other]) => other.length - one.length)[0] ??
      [];
    return { key, members: found.length };
  });
  const keys: number[] = [];
  for (const [i, { key }] of [...earlier.entries()].toSorted(([, one], [, other]) => other.members - one.members)) {
    keys[i] = key === undefined || taken.has(key) ? next++ : key;
    taken.add(keys[i]);
  }
  const keyOf = groups.flatMap((members, i) => members.map((member): [string, number] => [member, keys[i] ?? 0]));
  return { keys, keyOf: new Map(keyOf), next };
}

/** The member leaves its group: what belongs to the key stays with the others. */
export function withoutMember(keys: GroupKeys, member: string): GroupKeys {
  return { ...keys, keyOf: new Map([...keys.keyOf].filter(([id]) => id !== member)) };
}

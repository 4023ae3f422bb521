/** A speaker of one window with the mean embedding of the voice. */
export type LocalSpeaker = { window: number; speaker: number; vector: Float32Array; seconds: number };

type Group = { members: LocalSpeaker[]; vector: Float32Array };

/** Finds the same person in several windows: nearest voices first, down to `threshold`. @returns a label per input. */
export function linkSpeakers(locals: readonly LocalSpeaker[], threshold: number): number[] {
  let groups = locals.map((local) => grouped([local]));
  for (;;) {
    let best: { likeness: number; a: Group; b: Group } | undefined;
    for (const [i, one] of groups.entries())
      for (const other of groups.slice(0, i)) {
        const likeness = cosine(one.vector, other.vector);
        if (likeness >= threshold && likeness > (best?.likeness ?? -1) && compatible(one, other))
          best = { likeness, a: one, b: other };
      }
    if (!best) break;
    const { a, b } = best;
    groups = [...groups.filter((group) => group !== a && group !== b), grouped([...a.members, ...b.members])];
  }
  return locals.map((local) => groups.findIndex((group) => group.members.includes(local)));
}

function grouped(members: LocalSpeaker[]): Group {
  const vector = new Float32Array(members[0]?.vector.length ?? 0);
  for (const member of members)
    for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) + (member.vector[i] ?? 0) * member.seconds;
  return { members, vector };
}

function cosine(left: Float32Array, right: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < left.length; i++) {
    dot += (left[i] ?? 0) * (right[i] ?? 0);
    aa += (left[i] ?? 0) ** 2;
    bb += (right[i] ?? 0) ** 2;
  }
  return dot / Math.sqrt(aa * bb + 1e-12);
}

/** Two speakers that one window separated are never merged again. */
function compatible(one: Group, other: Group): boolean {
  const windows = new Set(one.members.map((member) => member.window));
  return other.members.every((member) => !windows.has(member.window));
}

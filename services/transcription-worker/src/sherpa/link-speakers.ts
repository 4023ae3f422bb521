/** A speaker of one window with the mean embedding of the voice. */
export type LocalSpeaker = {
  window: number;
  speaker: number;
  vector: Float32Array;
  seconds: number;
};

type Group = {
  members: LocalSpeaker[];
  vector: Float32Array;
};

/** Finds the same person in several windows: nearest voices first, down to `threshold`. @returns a label per input. */
export function linkSpeakers(locals: readonly LocalSpeaker[], threshold: number): number[] {
  let groups = locals.map((l) => grouped([l]));
  for (;;) {
    let best: { likeness: number; a: Group; b: Group } | undefined;
    for (const [i, a] of groups.entries())
      for (const b of groups.slice(0, i)) {
        const likeness = cosine(a.vector, b.vector);
        if (likeness >= threshold && likeness > (best?.likeness ?? -1) && compatible(a, b)) best = { likeness, a, b };
      }
    if (!best) break;
    const { a, b } = best;
    groups = [...groups.filter((g) => g !== a && g !== b), grouped([...a.members, ...b.members])];
  }
  return locals.map((l) => groups.findIndex((g) => g.members.includes(l)));
}

function grouped(members: LocalSpeaker[]): Group {
  const vector = new Float32Array(members[0]?.vector.length ?? 0);
  for (const m of members)
    for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) + (m.vector[i] ?? 0) * m.seconds;
  return { members, vector };
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += (a[i] ?? 0) * (b[i] ?? 0);
    aa += (a[i] ?? 0) ** 2;
    bb += (b[i] ?? 0) ** 2;
  }
  return dot / Math.sqrt(aa * bb + 1e-12);
}

/** Two speakers that one window separated are never merged again. */
function compatible(a: Group, b: Group): boolean {
  const windows = new Set(a.members.map((m) => m.window));
  return b.members.every((m) => !windows.has(m.window));
}

/** Entered secrets by name; null: the stored one is to be deleted. */
export type Secrets = Readonly<Record<string, string | null>>;

/** What is sent: the settings that differ from the saved ones, and the entered secrets. */
export function changesOf<S extends object>(saved: S, edits: Partial<S>, secrets: Secrets): Partial<S> {
  const different = Object.entries(edits).filter(([key, value]) => !isSame(value, saved[key as keyof S]));
  return { ...Object.fromEntries(different), ...secrets } as Partial<S>;
}

/** The edits without those that were saved: what was entered while they were saved. */
export function withoutSaved<T>(edits: Readonly<Record<string, T>>, saved: Readonly<Record<string, T>>) {
  return Object.fromEntries(Object.entries(edits).filter(([key, value]) => !Object.is(value, saved[key])));
}

/** Whether two values are equal; a list is a set of choices, whose order has no meaning. */
export function isSame(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  return left.length === right.length && left.every((item) => right.includes(item));
}

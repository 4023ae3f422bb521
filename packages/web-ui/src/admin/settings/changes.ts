/** Entered secrets by name; null: the stored one is to be deleted. */
export type Secrets = Readonly<Record<string, string | null>>;

/** What is sent: the settings that differ from the saved ones, and the entered secrets. */
export function changesOf<S extends object>(saved: S, edits: Partial<S>, secrets: Secrets): Partial<S> {
  const different = Object.entries(edits).filter(([key, value]) => value !== saved[key as keyof S]);
  return { ...Object.fromEntries(different), ...secrets } as Partial<S>;
}

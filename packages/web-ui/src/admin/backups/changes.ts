export type SecretName = 's3_secret_key' | 'passphrase';
/** Entered secrets; null: the stored one is to be deleted. */
export type Secrets = { readonly [Name in SecretName]?: string | null };
type StoredSecret = SecretName | `${SecretName}_is_set`;
/** What is sent: the settings that differ from the saved ones, and the entered secrets. */
export type Changes<S extends object> = Partial<Omit<S, StoredSecret>> & Secrets;

export function changesOf<S extends object>(saved: S, edits: Partial<S>, secrets: Secrets): Changes<S> {
  const different = Object.entries(edits).filter(([key, value]) => value !== saved[key as keyof S]);
  return { ...Object.fromEntries(different), ...secrets } as Changes<S>;
}

/** What the speech engines can transcribe. */
export type Languages = {
  /** ISO codes; null: any language, or it is not known now. */
  known: () => Promise<string[] | null>;
};

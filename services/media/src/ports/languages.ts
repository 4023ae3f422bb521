/** Languages that the speech engines support. */
export type Languages = {
  /** ISO codes; null: any language, or currently unknown. */
  known: () => Promise<string[] | null>;
};

/** Offered when the server does not limit the choice. */
const common = 'en de fr es it pt nl pl cs sv da no fi hu ro el tr uk ru ar he hi id vi th ko ja zh'.split(' ');

export type LanguageChoice = {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** A limit of the engine that the user must know before the upload. */
  readonly note: string | null;
};

/** The languages to offer. @param supported what the engines transcribe; null or undefined: unknown. */
export function languageChoice(supported: readonly string[] | null | undefined): LanguageChoice {
  const codes = supported ?? common;
  const only = supported?.length === 1 ? supported[0] : undefined;
  if (only !== undefined) {
    const name = languageName(only);
    return {
      options: [{ value: '', label: name }],
      note: `The speech engine of this server transcribes only ${name}. Other languages come out as wrong words.`,
    };
  }
  const named = codes
    .map((value) => ({ value, label: languageName(value) }))
    .sort((x, y) => x.label.localeCompare(y.label));
  return { options: [{ value: '', label: 'Detect automatically' }, ...named], note: null };
}

/** The name of a language in the reader's language. */
export const languageName = (code: string): string => {
  try {
    return new Intl.DisplayNames(undefined, { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
};

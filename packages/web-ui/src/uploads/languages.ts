import { msg, t } from '@lingui/core/macro';
import { readerLocale, translateOnRead } from '../lib/language.ts';

/** Offered when the server does not limit the languages. */
const commonLanguages = 'en de fr es it pt nl pl cs sv da no fi hu ro el tr uk ru ar he hi id vi th ko ja zh'.split(
  ' ',
);

/** Languages of Whisper without a name in Chromium. */
const furtherNames: Readonly<Record<string, string>> = translateOnRead({ ba: msg`Bashkir`, bo: msg`Tibetan` });

export type LanguageChoice = {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** A limit of the engine that the user should know before the upload. */
  readonly note: string | null;
};

/** The languages to offer. @param supported languages of the engines; null or undefined when unknown */
export function languageChoice(supported: readonly string[] | null | undefined): LanguageChoice {
  const codes = supported ?? commonLanguages;
  const only = supported?.length === 1 ? supported[0] : undefined;
  if (only !== undefined) {
    const name = languageName(only);
    return {
      options: [{ value: '', label: name }],
      note: t`The speech engine of this server transcribes only ${name}. Other languages will come out as nonsense.`,
    };
  }
  const named = codes
    .map((value) => ({ value, label: languageName(value) }))
    .sort((x, y) => x.label.localeCompare(y.label));
  // Engines know some languages by an old code, too: `iw` is `he`.
  const unique = named.filter(({ label }, i) => label !== named[i - 1]?.label);
  return { options: [{ value: '', label: t`Detect automatically` }, ...unique], note: null };
}

/** The name of a language in the reader's language. */
export function languageName(code: string): string {
  try {
    const name = new Intl.DisplayNames(readerLocale(), { type: 'language', fallback: 'none' }).of(code);
    return name ?? furtherNames[code] ?? code;
  } catch {
    return code;
  }
}

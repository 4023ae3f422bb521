/** Languages that can be named before the upload; without one the engine finds out, where it can. */
export const languages = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'cs',
  'sv',
  'da',
  'no',
  'fi',
  'hu',
  'ro',
  'el',
  'tr',
  'uk',
  'ru',
  'ar',
  'he',
  'hi',
  'id',
  'vi',
  'th',
  'ko',
  'ja',
  'zh',
] as const;

/** The name of a language in the reader's language. */
export const languageName = (code: string): string => {
  try {
    return new Intl.DisplayNames(undefined, { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
};

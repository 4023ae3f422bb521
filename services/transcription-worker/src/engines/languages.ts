/** The languages of Whisper, in the order of its tokens; `yue` only in the third large version. */
const whisperLanguages =
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'.split(
    ' ',
  );

/** Names in Whisper's vocabulary that are not the English names of the codes. */
const otherNames: Readonly<Record<string, string>> = {
  burmese: 'my',
  castilian: 'es',
  flemish: 'nl',
  haitian: 'ht',
  javanese: 'jw',
  letzeburgesch: 'lb',
  mandarin: 'zh',
  moldavian: 'ro',
  moldovan: 'ro',
  maori: 'mi',
  norwegian: 'no',
  nynorsk: 'nn',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  tagalog: 'tl',
  valencian: 'ca',
};

/** Other codes of a language, or of one that its speakers read: a model that lacks the first knows the second. */
const substitutes: Readonly<Record<string, string>> = {
  nb: 'no',
  nn: 'no',
  no: 'nb',
  fil: 'tl',
  tl: 'fil',
  iw: 'he',
  in: 'id',
  ji: 'yi',
  jv: 'jw',
  jw: 'jv',
  mo: 'ro',
  cmn: 'zh',
  yue: 'zh',
};

let codesByName: ReadonlyMap<string, string> | undefined;

/** The code of a language as servers write it: `en`, `en-US`, `english`, `haitian creole`. */
export function languageCode(language: string | null | undefined): string | null {
  if (!language) return null;
  const name = language.trim().toLowerCase();
  const [primary = ''] = name.split(/[-_]/);
  if (/^[a-z]{2,3}$/.test(primary)) return primary;
  codesByName ??= namesOf(whisperLanguages);
  return codesByName.get(name) ?? codesByName.get(name.split(' ')[0] ?? '') ?? null;
}

function namesOf(codes: readonly string[]): Map<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  return new Map([
    ...Object.entries(otherNames),
    ...codes.map((code) => [names.of(code)?.toLowerCase() ?? code, code] as const),
  ]);
}

/** The code by which an engine knows a language; undefined: it does not know it. `known`: its codes, empty for any. */
export function knownLanguage(wanted: string, known: readonly string[]): string | undefined {
  const code = languageCode(wanted) ?? wanted.toLowerCase();
  if (known.length === 0 || known.includes(code)) return code;
  const substitute = substitutes[code];
  return substitute !== undefined && known.includes(substitute) ? substitute : undefined;
}

/** The codes that an engine can serve: its own, and those that it knows by another one. */
export function servedLanguages(known: readonly string[]): string[] {
  const more = Object.keys(substitutes).filter((code) => !known.includes(code) && knownLanguage(code, known));
  return known.length === 0 ? [] : [...known, ...more];
}

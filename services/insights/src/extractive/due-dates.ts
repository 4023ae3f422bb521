const weekday: Record<string, string> = {
  en: '(?:mon|tues|wednes|thurs|fri|satur|sun)day',
  de: '(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)',
};
const month: Record<string, string> = {
  en: '(?:january|february|march|april|may|june|july|august|september|october|november|december)',
  de: '(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)',
};
const partOfDay: Record<string, string> = {
  en: '(?: (?:morning|afternoon|evening|night|noon))?',
  de: '(?:(?: ?(?:früh|morgen|vormittag|mittag|nachmittag|abend))|abend)?',
};
const ordinal = '\\d{1,2}(?:st|nd|rd|th)?';
const clock = "(?:\\d{1,2}(?::\\d{2})? ?(?:am|pm|a\\.m\\.|p\\.m\\.|o'clock)|noon|midnight)";

/** A day or a period, in spoken form. */
const days: Record<string, string> = {
  en: [
    `(?:the )?(?:end|middle|beginning|start) of (?:the |this |next )?(?:day|week|month|quarter|year|business|${month['en']})`,
    `(?:early |late )?(?:(?:this|next|the following|coming) )?${weekday['en']}${partOfDay['en']}`,
    `(?:the )?${ordinal} (?:of )?${month['en']}`,
    `${month['en']} (?:the )?${ordinal}`,
    '(?:early |late )?(?:this|next|the coming) (?:week|month|quarter|year|weekend|sprint|meeting)',
    `(?:today|tonight|tomorrow|the day after tomorrow|the weekend)${partOfDay['en']}`,
    'this (?:morning|afternoon|evening)',
    '(?:eod|eow|eob|cob|close of business)',
  ].join('|'),
  de: [
    `(?:zum )?(?:ende|mitte|anfang) (?:(?:der|dieser|nächster|nächsten|kommender|des|dieses|nächstes) )?(?:woche|monats|monat|quartals|jahres|${month['de']})`,
    `(?:(?:diesen|nächsten|kommenden|nächste|zum) )?${weekday['de']}${partOfDay['de']}`,
    `(?:zum |den |dem )?\\d{1,2}\\.? ?(?:${month['de']}|\\d{1,2}\\.)`,
    '(?:zur )?(?:diese|dieser|nächste|nächster|nächsten|kommende|kommender|kommenden) (?:woche|monat|quartal|jahr|sitzung)',
    `(?:heute|morgen|übermorgen)${partOfDay['de']}`,
    '(?:zum )?(?:feierabend|wochenende)',
  ].join('|'),
};

/** After these words a month or a time alone is a date as well. */
const limits: Record<string, string> = {
  en: '(?:by|until|till|before|no later than|due|due on|not later than)',
  de: '(?:bis|bis spätestens|spätestens|bis zum|vor|fällig)',
};
const onlyAfterLimit: Record<string, string> = { en: `|${month['en']}|${clock}`, de: `|${month['de']}|\\d{1,2} uhr` };
const before: Record<string, string> = { en: '(?:on |in )?(?:the )?', de: '(?:am |im |in der |in )?' };

/** The words of a text that say when something is due, as they were spoken, or null. English and German. */
export function dueDateIn(text: string, language: string): string | null {
  const plain = text.replaceAll('’', "'");
  const limited = patternOf(language, 'limited')?.exec(plain)?.groups?.['date'];
  return limited ?? patternOf(language, 'bare')?.exec(plain)?.groups?.['date'] ?? null;
}

const patterns = new Map<string, RegExp>();

function patternOf(language: string, kind: 'limited' | 'bare'): RegExp | null {
  const day = days[language];
  if (day === undefined) return null;
  const key = `${language} ${kind}`;
  // "Guten Morgen" is no date.
  const start = '(?<![\\p{L}\\p{N}])(?<!gut(?:en|er) )';
  const end = '(?![\\p{L}\\p{N}])';
  const source =
    kind === 'limited'
      ? `${start}${limits[language]} (?:the )?(?<date>${day}${onlyAfterLimit[language]})${end}`
      : `${start}${before[language]}(?<date>${day})${end}`;
  const pattern = patterns.get(key) ?? new RegExp(source, 'iu');
  patterns.set(key, pattern);
  return pattern;
}

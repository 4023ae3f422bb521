/** Numbers that are the same in each run (mulberry32). */
export function createRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    digits: (count: number): string => Array.from({ length: count }, () => String(below(10))).join(''),
  };
}

export type Random = ReturnType<typeof createRandom>;

const digitWords = 'zero one two three four five six seven eight nine'.split(' ');
const teens = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const tens = '_ _ twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** Says digits one by one, with "oh" and "double" as people do, in pairs, with pauses, or partly as numerals. */
export function sayDigits(digits: string, random: Random): string {
  const style = random.below(7);
  if (style === 3 && digits.length % 2 === 0) return pairsOf(digits).map(sayPair).join(' ');
  if (style > 3) {
    const parts = digits.match(/\d{1,3}/g) ?? [];
    const isNumeral = (i: number): boolean => style === 6 && i % 2 === 0;
    const said = parts.map((part, i) =>
      isNumeral(i)
        ? part
        : Array.from(part)
            .map((digit) => sayDigit(digit, true))
            .join(' '),
    );
    return said.join(style === 4 ? ', ' : style === 5 ? random.pick([' uh ', ' dash ', ' um ']) : ' ');
  }
  const words: string[] = [];
  for (let i = 0; i < digits.length; i += 1) {
    if (style === 2 && digits[i] === digits[i + 1]) {
      words.push('double', sayDigit(digits[i] as string, false));
      i += 1;
    } else words.push(sayDigit(digits[i] as string, style > 0));
  }
  return words.join(' ');
}

function sayDigit(digit: string, saysOh: boolean): string {
  return digit === '0' && saysOh ? 'oh' : (digitWords[Number(digit)] as string);
}

function pairsOf(digits: string): string[] {
  return digits.match(/../g) ?? [];
}

function sayPair(pair: string): string {
  const value = Number(pair);
  if (pair.startsWith('0')) return `oh ${sayDigit(pair[1] as string, true)}`;
  if (value < 20) return teens[value - 10] as string;
  const rest = value % 10;
  return rest === 0 ? (tens[value / 10] as string) : `${tens[Math.floor(value / 10)]} ${digitWords[rest]}`;
}

export function sayYear(year: number): string {
  if (year >= 2000 && year < 2010) return year === 2000 ? 'two thousand' : `two thousand ${digitWords[year - 2000]}`;
  return `${sayPair(String(Math.floor(year / 100)))} ${sayPair(String(year % 100).padStart(2, '0'))}`;
}

/** A number that passes the Luhn check, as the networks issue them. */
export function cardNumber(random: Random): string {
  const [prefix, length] = random.pick([
    ['4', 16],
    ['51', 16],
    ['37', 15],
    ['6011', 16],
  ] as const);
  const body = prefix + random.digits(length - prefix.length - 1);
  const sum = Array.from(body)
    .toReversed()
    .reduce((total, digit, i) => {
      const value = Number(digit) * (i % 2 === 0 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return body + String((10 - (sum % 10)) % 10);
}

const areas = ['212', '415', '617', '305', '702', '206', '312', '713', '404', '619'];

export function usPhone(random: Random): string {
  return random.pick(areas) + random.pick(['234', '345', '478', '562', '683', '795', '826', '947']) + random.digits(4);
}

export function ukMobile(random: Random): string {
  return `07${random.pick(['400', '511', '700', '823', '911', '975'])}${random.digits(6)}`;
}

export function ssn(random: Random): string {
  return `${101 + random.below(560)}${String(11 + random.below(88))}${String(1001 + random.below(8990))}`;
}

export function iban(random: Random): string {
  const [country, length, letters] = random.pick([
    ['DE', 18, ''],
    ['GB', 14, 'NWBK'],
    ['ES', 20, ''],
    ['NL', 10, 'ABNA'],
  ] as const);
  const body = letters + random.digits(length);
  const numeric = Array.from(`${body}${country}00`)
    .map((sign) => (/\d/.test(sign) ? sign : String(sign.charCodeAt(0) - 55)))
    .join('');
  const rest = Array.from(numeric).reduce((left, digit) => (left * 10 + Number(digit)) % 97, 0);
  return `${country}${String(98 - rest).padStart(2, '0')}${body}`;
}

export const firstNames = [
  'Ada',
  'Grace',
  'Linus',
  'Margaret',
  'Dennis',
  'Katherine',
  'Omar',
  'Priya',
  'Chen',
  'Ingrid',
  'Tomás',
  'Yusuf',
  'Siobhan',
  'Mateusz',
  'Aisha',
  'Rose',
  'Oluwaseun',
  'Dmitri',
  'Bill',
  'Zebulon',
];
export const lastNames = [
  'Lovelace',
  'Hopper',
  'Okafor',
  'Hamilton',
  'Ritchie',
  'Johnson',
  'Haddad',
  'Patel',
  'Wei',
  'Nilsson',
  'Herrera',
  'Demir',
  'Young',
  'Kowalczyk',
  'Mbeki',
  'Brown',
  'Quillfeather',
  'van Dijk',
];
export const domains = [
  'example.com',
  'gmail.com',
  'company.co.uk',
  'university.edu',
  'startup.io',
  'post.de',
  'charity.org',
];
export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
);
const ordinalWords =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth'.split(
    ' ',
  );

export function ordinal(day: number): string {
  return ordinalWords[day - 1] as string;
}

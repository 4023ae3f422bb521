import { givenNames } from './gazetteer.ts';
import { hasAddressCue, houseNumberAt, type AddressText } from './house-numbers.ts';

/** Indexes of tokens, the last one included. */
export type Street = { first: number; last: number };

const germanEnding =
  /^[\p{L}-]{3,40}(?:straße|strasse|str|weg|platz|allee|gasse|ring|damm|ufer|chaussee|promenade|steig|stieg|pfad)\.?$/u;
const germanKind =
  /^(?:straße|strasse|str|weg|platz|allee|gasse|ring|damm|ufer|markt|chaussee|promenade|steig|pfad)\.?$/;
/** "Umweg 3", "Parkplatz 12". */
const noStreets = new Set(
  'umweg rückweg hinweg heimweg ausweg fluchtweg dienstweg rechtsweg parkplatz arbeitsplatz stellplatz sitzplatz stehplatz bahnsteig frühling hering'.split(
    ' ',
  ),
);
const germanFunctionWords = new Set(
  'der die das dem den des ein eine einem einen einer auf im in am an zu zum zur vom von bei nach mit kein keine mein meine meinem dein sein ihr ihre unser dieser diese dieses diesem diesen jeder jede welcher welche erste ersten zweite zweiten dritte dritten letzte letzten nächste nächsten lange langen kurze kurzen richtige richtigen falsche falschen halbe halben ganze ganzen guten besten selben gleichen anderen neuen rechten und oder um aber'.split(
    ' ',
  ),
);
const germanPrepositions = new Set('am im zum zur'.split(' '));
const germanLongPrepositions = new Set('an auf unter hinter bei vor in zu'.split(' '));
const germanArticles = new Set('der dem den'.split(' '));
const noPlaces = new Set(
  'anfang ende tag montag dienstag mittwoch donnerstag freitag samstag sonntag morgen abend jahr jahre monat januar februar märz april mai juni juli august september oktober november dezember gate gleis zimmer raum haus stock kapitel abschnitt punkt schritt beispiel vergleich durchschnitt schnitt seite uhr zeit wert rang level teil fall bereich team'.split(
    ' ',
  ),
);

/** "Hauptstraße 12", "Berliner Str. 5", "Am Markt 3", "Straße des 17. Juni 135". */
export function germanStreetAt(words: AddressText, at: number): Street | undefined {
  const { tokens, language } = words;
  const { word = '', text = '', endsSentence = false } = tokens[at] ?? {};
  const isShort = /str\.?$/.test(word);
  if (endsSentence && !isShort) return undefined;
  if (germanEnding.test(word) && !noStreets.has(word) && !germanKind.test(word)) return numbered(words, at, at + 1);
  if (germanKind.test(word)) return numbered(words, nameBefore(words, at), at + 1) ?? dedicated(words, at);
  if (language !== 'de') return undefined;
  const isLong = germanLongPrepositions.has(word) && germanArticles.has(tokens[at + 1]?.word ?? '');
  if (!isLong && !germanPrepositions.has(word)) return undefined;
  const isCapital = /^\p{Lu}/u.test(text) && at > 0 && !tokens[at - 1]?.endsSentence && !tokens[at - 1]?.endsPassage;
  if (!isCapital && !hasAddressCue(words, at)) return undefined;
  let name = at + (isLong ? 2 : 1);
  // "An der Alten Brücke"
  if (/(?:en|er)$/.test(tokens[name]?.word ?? '') && isName(tokens[name + 1]?.text, isCapital)) name += 1;
  const place = tokens[name];
  if (
    !place ||
    place.endsSentence ||
    noPlaces.has(place.word) ||
    (!isCapital && germanEnding.test(place.word)) ||
    !isName(place.text, isCapital)
  )
    return undefined;
  return numbered(words, at, name + 1);
}

function isName(text: string | undefined, isCapital: boolean): boolean {
  return (isCapital ? /^\p{Lu}\p{L}+$/u : /^\p{L}{3,}$/u).test(text ?? '');
}

/** "Berliner Straße", "Alte Hamburger Straße": the first token of the name; undefined without one. */
function nameBefore({ tokens }: AddressText, at: number): number | undefined {
  const isPart = (index: number): boolean => {
    const { text = '', word = '', endsSentence = true } = tokens[index] ?? {};
    if (endsSentence || germanFunctionWords.has(word) || !/^[\p{L}-]{3,}$/u.test(text)) return false;
    return /^\p{Lu}/u.test(text) || word.endsWith('er');
  };
  if (!isPart(at - 1)) return undefined;
  return /^\p{Lu}/u.test(tokens[at - 2]?.text ?? '') &&
    /(?:e|er|en)$/.test(tokens[at - 2]?.word ?? '') &&
    isPart(at - 2)
    ? at - 2
    : at - 1;
}

/** "Straße des 17. Juni", "Platz der Republik". */
function dedicated(words: AddressText, at: number): Street | undefined {
  const { tokens } = words;
  if (!/^\p{Lu}/u.test(tokens[at]?.text ?? '') || !/^(?:des|der)$/.test(tokens[at + 1]?.word ?? '')) return undefined;
  for (let next = at + 2; next < at + 5; next += 1) {
    const { text = '', endsSentence = true } = tokens[next] ?? {};
    const isDay = /^\d{1,2}$/.test(text) && endsSentence;
    if (!isDay && (endsSentence || !/^\p{Lu}\p{L}+$/u.test(text))) return undefined;
    const street = isDay ? undefined : numbered(words, at, next + 1);
    if (street) return street;
  }
  return undefined;
}

function numbered(words: AddressText, first: number | undefined, at: number): Street | undefined {
  const number = first === undefined ? undefined : houseNumberAt(words, at);
  return number && first !== undefined ? { first, last: number.next - 1 } : undefined;
}

const spanishKinds = new Set(
  'calle c/ avenida avda av plaza pza paseo camino ronda travesía glorieta carretera callejón rambla carrer cuesta'.split(
    ' ',
  ),
);
const abbreviations = new Set(['avda', 'av', 'pza', 'bd', 'boul']);
const romanceParticles = new Set("de del la las los el le les du des d' l' à".split(' '));
const spanishStops = new Set(
  'en y con por que tiene tenía hay había es era está estaba se a al hasta durante unos unas o pero no son fue'.split(
    ' ',
  ),
);
const longestName = 6;

/** "Calle Mayor 15", "calle gran vía número 28". */
export function spanishStreetAt(words: AddressText, at: number): Street | undefined {
  const { tokens } = words;
  const { word = '', endsSentence = false } = tokens[at] ?? {};
  if (!spanishKinds.has(word) || (endsSentence && !abbreviations.has(word))) return undefined;
  let isCapital = false;
  for (let next = at + 1; next <= at + longestName; next += 1) {
    const token = tokens[next];
    const number = next > at + 1 ? houseNumberAt(words, next) : undefined;
    if (number) {
      const isSaid = hasAddressCue(words, at) || tokens[number.first]?.word.startsWith('n');
      return isSaid || (isCapital && endsPhrase(words, number.next - 1))
        ? { first: at, last: number.next - 1 }
        : undefined;
    }
    if (!token || token.endsSentence || spanishStops.has(token.word) || !/^[\p{L}'.-]+$/u.test(token.text))
      return undefined;
    isCapital ||= /^\p{Lu}/u.test(token.text);
  }
  return undefined;
}

/** "20 personas" is an amount: nothing that could be counted follows. */
function endsPhrase({ text, tokens }: AddressText, at: number): boolean {
  const [token, next] = [tokens[at], tokens[at + 1]];
  if (!token || !next || token.endsSentence || token.endsPassage) return true;
  return /[^\s]/u.test(text.slice(token.end, next.start)) || spanishStops.has(next.word);
}

const frenchKinds = new Set(
  'rue avenue av boulevard bd boul place impasse allée chemin quai route square cours passage faubourg sentier esplanade'.split(
    ' ',
  ),
);
/** "one place" is English. */
const onlyFrench = new Set(['rue', 'impasse', 'allée', 'chemin', 'quai']);
const frenchStops = new Set(
  "et ou qui que est sont était dans au aux pour avec sur je il elle on nous vous c'est mais donc où en ce cette".split(
    ' ',
  ),
);

/** "12 bis rue de la Paix", "cent douze boulevard voltaire": the street whose kind is at the token. */
export function frenchStreetAt(words: AddressText, at: number): Street | undefined {
  const { tokens, language } = words;
  const { word = '' } = tokens[at] ?? {};
  if (!frenchKinds.has(word) || (language !== 'fr' && !onlyFrench.has(word))) return undefined;
  const first = frenchNumberBefore(words, at);
  const last = first === undefined ? at : frenchNameEnd(words, at);
  return first === undefined || last === at ? undefined : { first, last };
}

/** The first token of the number that ends right before the street. */
function frenchNumberBefore(words: AddressText, at: number): number | undefined {
  let found: number | undefined;
  for (let first = at - 1; first >= Math.max(0, at - 6); first -= 1) {
    const number = houseNumberAt(words, first);
    const isOne = /^une?$/.test(words.tokens[first]?.word ?? '') && number?.next === first + 1;
    if (number?.next === at && !isOne && !words.tokens[at - 1]?.endsSentence) found = first;
  }
  return found;
}

function frenchNameEnd({ tokens }: AddressText, at: number): number {
  let last = at;
  for (let next = at + 1; next <= at + longestName && (last === at || !tokens[last]?.endsSentence); next += 1) {
    const { text = '', word = '' } = tokens[next] ?? {};
    if (romanceParticles.has(word)) continue;
    const hasName = last > at;
    const isCapital = /^(?:[dl]['’])?\p{Lu}/u.test(text);
    const isSecond = hasName && givenNames.has(tokens[last]?.word ?? '') && next === last + 1;
    if (frenchStops.has(word) || !/^\p{L}[\p{L}'’-]*$/u.test(text) || (hasName && !isCapital && !isSecond)) break;
    last = next;
  }
  return last;
}

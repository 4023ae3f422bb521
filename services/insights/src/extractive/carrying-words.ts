import { fold, wordsOf, type Vocabulary } from './words.ts';

/** After these comes a thing or a person. */
const beforeNouns = new Set(
  (
    'the a an our my your his her their its this that these those of in for about on at with from by ' +
    'der die das dem den des ein eine einen einem einer unser unsere unseren unserem mein meine dein ihr ihre im am zum zur vom von bei aus auf für fur über uber mit ' +
    'le la les un une du de des au aux notre nos leur dans sur avec pour ' +
    'el los las una del al nuestro nuestra en con para sobre'
  ).split(' '),
);
/** "What is the price of ...": the word for what is asked; the answer has a price, not the word. */
const attribute =
  /^(?:what|which|who|was|wer|welche[rs]?|quel(?:le)?s?|cu[aá]l|qu[eé]|wie)\s+(?:is|are|was|were|ist|sind|war|waren|lautet|est|sont|es|son)\s+(?:the|a|an|der|die|das|le|la|el|los|las)\s+([\p{L}-]{1,40})/iu;
/** Words with one meaning in a question. */
const synonymGroups = [
  'cost price expensive pay fee charge kosten kostet preis teuer bezahlen cuesta precio coûte prix',
  'begin start launch open beginnen anfangen starten',
  'end close finish stop enden schließen aufhören',
  'buy purchase order acquire kaufen bestellen',
  'factory plant works fabrik werk',
  'boss manager leader head lead leiter leitung chef',
  'reason why because grund weil',
  'car vehicle auto wagen',
  'salary pay wage gehalt lohn',
  'place location where ort',
  'person people who',
  'firm company business firma unternehmen',
  'staff employee worker mitarbeiter personal',
  'customer client kunde',
  'meeting conference besprechung sitzung',
  'deadline date due frist termin',
  'house home building haus gebäude',
  'film movie picture',
  'photo picture image foto bild',
  'room space raum zimmer',
  'child kid kind',
  'doctor physician arzt',
  'job work position arbeit stelle',
  'money budget funds geld',
];

/** Words that say nothing about what is asked. */
const general = new Set(
  'new old big large small main whole current present neue neuen neuer alte alten großen nouveau nouvelle nuevo nueva end moment time detail details general way thing things point beginning future past call conversation anyone everybody ende moment zeit detail allgemeinen anfang zukunft fin final principio'.split(
    ' ',
  ),
);

export type CarryingWords = {
  /** Stems that have to be said somewhere in the passages. */
  required: string[];
  /** Stems of which the second is no answer without the first: "chocolate factory". */
  pairs: [qualifier: string, head: string][];
};

/** The words that say what a question is about: names, numbers, nouns, and what distinguishes one thing from another. */
export function carryingWordsOf(
  question: string,
  { stem, isFunctionWord }: Vocabulary,
  ignored: ReadonlySet<string>,
): CarryingWords {
  const words = wordsOf(question);
  const asked = attribute.exec(question.trim())?.[1]?.toLowerCase();
  const isContent = (word: string | undefined): word is string =>
    word !== undefined &&
    !isFunctionWord(word) &&
    !general.has(word.toLowerCase()) &&
    !ignored.has(stem(word)) &&
    word.toLowerCase() !== asked;
  const carrying: CarryingWords = { required: [], pairs: [] };
  words.forEach((word, at) => {
    if (!isContent(word)) return;
    const [before, next] = [words[at - 1], words[at + 1]];
    const isNoun = beforeNouns.has(fold(before ?? ''));
    const isName = at > 0 && /^\p{Lu}/u.test(word);
    if (isNoun && isContent(next)) carrying.pairs.push([stem(word), stem(next)]);
    if (isName || /^\d+$/.test(word) || (isNoun && !isContent(next))) carrying.required.push(stem(word));
    // The last noun of several: "the city council".
    else if (isContent(before) && beforeNouns.has(fold(words[at - 2] ?? '')) && !isContent(next))
      carrying.required.push(stem(word));
  });
  return carrying;
}

/** "The marmalade factory" in a sentence, when the question is about the chocolate factory. */
export function isAboutAnother(
  sentence: string,
  [qualifier, head]: CarryingWords['pairs'][number],
  vocabulary: Vocabulary,
): boolean {
  const { stem, isFunctionWord } = vocabulary;
  const words = wordsOf(sentence);
  const isOther = words.some((word, at) => {
    const before = words[at - 1];
    return stem(word) === head && before !== undefined && !isFunctionWord(before);
  });
  return isOther && !says(new Set(words.map((word) => stem(word))), qualifier, vocabulary);
}

const shortestRoot = 5;

/** Whether a text with these stems says the word, in another form or by a synonym. */
export function says(terms: ReadonlySet<string>, term: string, vocabulary: Vocabulary): boolean {
  if (terms.has(term)) return true;
  const others = synonymsOf(vocabulary).get(term);
  const root = fold(term).slice(0, shortestRoot);
  for (const said of terms) {
    if (others?.has(said)) return true;
    if (root.length === shortestRoot && term.length <= said.length + 4 && fold(said).startsWith(root)) return true;
    if (said.length >= 4 && said.length < term.length && fold(term).startsWith(fold(said))) return true;
  }
  return false;
}

const cached = new Map<Vocabulary, Map<string, Set<string>>>();

function synonymsOf(vocabulary: Vocabulary): Map<string, Set<string>> {
  const known = cached.get(vocabulary);
  if (known) return known;
  const synonyms = new Map<string, Set<string>>();
  for (const group of synonymGroups) {
    const stems = group.split(' ').map((word) => vocabulary.stem(word));
    for (const one of stems) synonyms.set(one, new Set([...(synonyms.get(one) ?? []), ...stems]));
  }
  cached.set(vocabulary, synonyms);
  return synonyms;
}

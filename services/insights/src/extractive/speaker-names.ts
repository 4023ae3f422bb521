import { nameCues, reported, type NameCue } from './name-cues.ts';
import { completeName, isFirstName, isLikelyName, isPossibleName, partsOf, trimName } from './person-names.ts';
import { splitSentences, type Segment, type Sentence } from './sentences.ts';
import { tidyText } from './tidy.ts';
import { fold, vocabularyOf } from './words.ts';

/** A speaker and the name it probably has; `confidence` between 0 and 1, `text` the sentence that proves it best. */
export type NameSuggestion = {
  speakerUuid: string;
  name: string;
  confidence: number;
  text: string;
  segmentUuids: string[];
  start: number;
};

export type NamesInput = {
  /** `named`: a person has given the speaker its name already. */
  segments: readonly (Segment & { named: boolean })[];
  language: string | null;
  /** Full names of people who may be in the recording. */
  knownNames: readonly string[];
};

type Evidence = { speakerUuid: string; name: string; weight: number; sentence: Sentence };
type Claim = { speakerUuid: string; name: string; confidence: number; best: Evidence };

/** Below this a suggestion is more often wrong than right. */
const minConfidence = 0.5;
/** Two speakers whose claims to one name differ less than this: none of them gets it. */
const clearLead = 0.1;
/** Who says a name to another person does not have it. */
const ownNameDoubt = 0.3;
const knownBonus = 0.05;
/** In a long sentence a name is mentioned rather than addressed. */
const longSentence = 20;
const asideShare = 0.7;

/** Names of the speakers that have none yet, from introductions and address. A name is never given to two speakers. */
export function findSpeakerNames({ segments, language, knownNames }: NamesInput): NameSuggestion[] {
  const vocabulary = vocabularyOf(language);
  const sentences = splitSentences(segments, vocabulary);
  const named = new Map(segments.filter((segment) => segment.named).map((segment) => [segment.speakerUuid, segment]));
  const taken = new Set([...named.values()].map(({ speakerName }) => firstOf(speakerName ?? '')));
  const known = partsOf(knownNames);
  const found = sentences.flatMap((_, at) =>
    evidenceIn(sentences, at, { known, knownNames, language: vocabulary.code }),
  );
  const useful = found.filter(({ name }) => !taken.has(firstOf(name)));
  const claims = claimsOf(useful).filter(({ speakerUuid }) => !named.has(speakerUuid));
  return assign(claims).map(({ speakerUuid, name, confidence, best }) => ({
    speakerUuid,
    name,
    confidence: Math.round(confidence * 100) / 100,
    text: best.sentence.text,
    segmentUuids: best.sentence.segmentUuids,
    start: best.sentence.start,
  }));
}

type NameContext = { known: ReadonlySet<string>; knownNames: readonly string[]; language: string };

function evidenceIn(sentences: readonly Sentence[], at: number, context: NameContext): Evidence[] {
  const sentence = sentences[at];
  if (!sentence) return [];
  const text = tidyText(sentence.text.replaceAll('’', "'"));
  return nameCues.flatMap((cue) => {
    const name = nameBy(cue, text, context);
    const speakerUuid = name === null ? null : targetOf(cue, sentences, at);
    if (name === null || speakerUuid === null) return [];
    const isAside = cue.target !== 'self' && sentence.wordCount > longSentence;
    const weight = (cue.weight + (context.knownNames.includes(name) ? knownBonus : 0)) * (isAside ? asideShare : 1);
    const evidence = [{ speakerUuid, name, weight, sentence }];
    if (cue.target === 'self' || sentence.speakerUuid === null) return evidence;
    return [...evidence, { speakerUuid: sentence.speakerUuid, name, weight: -ownNameDoubt, sentence }];
  });
}

/** The name that the phrase announces, completed from the known names, or null. */
function nameBy(
  { pattern, needs }: NameCue,
  text: string,
  { known, knownNames, language }: NameContext,
): string | null {
  const match = pattern.exec(text);
  const found = match?.groups?.['name'];
  if (!match || found === undefined || reported.test(text.slice(0, match.index + leadOf(match[0])))) return null;
  const title = /^(?:Mr|Mrs|Ms|Dr|Herr|Frau)\.? /u.exec(found)?.[0] ?? '';
  const plain = trimName(capitalise(found.slice(title.length), known), language);
  const isName = title === '' ? isLikelyName(plain, known, language) : isPossibleName(plain, language);
  if (!isName && !(needs === 'any' && isPossibleName(plain, language))) return null;
  return completeName(`${title}${plain}`, knownNames);
}

/** Punctuation and space at the beginning of a match. */
function leadOf(match: string): number {
  return match.length - match.trimStart().length;
}

/** In a transcript without capital letters a word must be a first name to become one. */
function capitalise(name: string, known: ReadonlySet<string>): string {
  if (/^\p{Lu}/u.test(name)) return name;
  const [first = '', second = ''] = name.split(' ');
  if (!isFirstName(first, known)) return name;
  const words = known.has(fold(second)) ? [first, second] : [first];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/** "Thank you" at the beginning of a turn is for the last speaker, at its end for the next one rather. */
function targetOf({ target }: NameCue, sentences: readonly Sentence[], at: number): string | null {
  const speaker = sentences[at]?.speakerUuid ?? null;
  if (target === 'self') return speaker;
  const step = target === 'previous' ? -1 : 1;
  for (let i = at + step; i >= 0 && i < sentences.length; i += step) {
    const other = sentences[i];
    if (other && other.speakerUuid !== speaker) return other.wordCount > 0 ? other.speakerUuid : null;
  }
  return null;
}

/** Evidence of one speaker and one name together: independent pieces support each other, doubts weaken them. */
function claimsOf(evidence: readonly Evidence[]): Claim[] {
  const groups = Map.groupBy(evidence, ({ speakerUuid, name }) => `${speakerUuid}\n${firstOf(name)}`);
  return [...groups.values()].flatMap((group) => {
    const support = group.filter(({ weight }) => weight > 0).toSorted((x, y) => y.weight - x.weight);
    const [best] = support;
    if (!best) return [];
    const distinct = new Map(support.toReversed().map((piece) => [piece.sentence, piece.weight]));
    const doubt = [...distinct.values()].reduce((product, weight) => product * (1 - Math.min(weight, 0.97)), 1);
    const against = group.length - support.length;
    const confidence = Math.min(0.99, 1 - doubt) * (1 - ownNameDoubt) ** against;
    const name = support.map((piece) => piece.name).toSorted((x, y) => y.length - x.length)[0] ?? best.name;
    return [{ speakerUuid: best.speakerUuid, name, confidence, best }];
  });
}

/** One name per speaker and one speaker per name, the most certain first. */
function assign(claims: readonly Claim[]): Claim[] {
  const chosen = new Map<string, Claim>();
  const names = new Set<string>();
  const sorted = claims.toSorted((x, y) => y.confidence - x.confidence);
  for (const claim of sorted) {
    const first = firstOf(claim.name);
    const rival = sorted.find((other) => other.speakerUuid !== claim.speakerUuid && firstOf(other.name) === first);
    if (claim.confidence < minConfidence || names.has(first) || chosen.has(claim.speakerUuid)) continue;
    names.add(first);
    if (rival && isRival(rival, claim) && !chosen.has(rival.speakerUuid)) continue;
    chosen.set(claim.speakerUuid, claim);
  }
  return [...chosen.values()];
}

function isRival(rival: Claim, claim: Claim): boolean {
  return Math.abs(rival.confidence - claim.confidence) < clearLead;
}

/** What two spellings of one name share: its first word, without title and accents. */
function firstOf(name: string): string {
  return fold(name.replace(/^(?:Mr|Mrs|Ms|Dr|Herr|Frau)\.? /u, '')).split(' ')[0] ?? '';
}

import type {
  AutoLabelPreference,
  ExtractionObject,
  FileMasks,
  FileSuggestions,
  LabelSettings,
  SuggestionKind,
  SuggestionObject,
  SuggestionPart,
  SuggestionStatus,
} from '@overtone/contracts';
import { findSameTag } from '../extractive/fuzzy.ts';
import { isMoreMasked } from '../masks.ts';
import { cleanParagraph } from '../untrusted/untrusted.ts';
import type { AutoLabelPreference as StoredPreference, Suggestion, SuggestionExtraction } from '../generated/client.ts';

/** A suggestion before it is stored. `rationale` is text of the transcript. */
export type Candidate = {
  kind: SuggestionKind;
  name: string;
  speakerUuid: string | null;
  confidence: number;
  rationale: string;
  segmentUuid: string | null;
  start: number | null;
};
export type Collection = { name: string; contains: boolean; isShared: boolean };
export type Speaker = { uuid: string; label: string; name: string | null };
/** What suggestions for a file depend on, as media knows it. */
export type LabelContext = {
  ownerId: string;
  transcriptVersion: number;
  ownerTags: string[];
  fileTags: string[];
  collections: Collection[];
  speakers: Speaker[];
  knownNames: string[];
  masksNames: boolean;
};

export const kindsOf: Record<SuggestionPart, readonly SuggestionKind[]> = {
  labels: ['tag', 'collection'],
  speakers: ['speaker'],
};
export const maxTagLength = 50;
const maxNameLength = 120;
const maxTags = 12;
const maxCollections = 5;
const maxRationale = 400;
/** The words that show a suggestion. */
export function shortened(text: string): string {
  return cleanParagraph(text, maxRationale);
}

/** A stored name; longer ones are cut, and are then left out. */
function cleanName(name: string): string {
  return cleanParagraph(name, maxNameLength + 1);
}

/** The form in which names are compared: lower case, `-` and `_` as spaces. */
export function normalizedName(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[-_\s]+/g, ' ')
    .trim();
}

/**
 * The labels to suggest, best first: similar ones are one, with the spelling that the owner uses already. Those that the
 * file has and those that were decided before are left out.
 */
export function selectLabels(
  candidates: readonly Candidate[],
  context: Pick<LabelContext, 'ownerTags' | 'fileTags' | 'collections'>,
  { decided, language }: { decided: readonly Pick<Suggestion, 'kind' | 'name'>[]; language: string | null },
): Candidate[] {
  const pick = (kind: SuggestionKind, known: readonly string[], taken: readonly string[], max: number): Candidate[] => {
    const names = [...taken, ...decided.filter((earlier) => earlier.kind === kind).map(({ name }) => name)];
    return unify(
      candidates.filter((candidate) => candidate.kind === kind),
      known,
      language,
    )
      .filter(({ name }) => findSameTag(name, names, language) === null)
      .slice(0, max);
  };
  const { ownerTags, fileTags, collections } = context;
  const [inside, outside] = [true, false].map((contains) =>
    collections.filter((collection) => collection.contains === contains).map(({ name }) => name),
  ) as [string[], string[]];
  return [
    ...pick('tag', ownerTags, fileTags, maxTags),
    ...pick('collection', outside, inside, maxCollections).filter(({ name }) => outside.includes(name)),
  ];
}

/** Candidates with different names, the most confident first. */
function unify(candidates: readonly Candidate[], known: readonly string[], language: string | null): Candidate[] {
  const unified: Candidate[] = [];
  for (const candidate of candidates.toSorted((x, y) => y.confidence - x.confidence)) {
    const clean = cleanName(candidate.name);
    const name = findSameTag(clean, known, language) ?? clean;
    const max = candidate.kind === 'tag' ? maxTagLength : maxNameLength;
    if (normalizedName(name) === '' || !/[\p{L}\p{N}]/u.test(name) || name.length > max) continue;
    const names = unified.map((other) => other.name);
    if (findSameTag(name, names, language) === null) unified.push({ ...candidate, name });
  }
  return unified;
}

/**
 * One name for each speaker without one. A name that another speaker has, or that fits two speakers equally well, is not
 * suggested; nor is one that was rejected for the speaker.
 */
export function selectSpeakerNames(
  candidates: readonly Candidate[],
  { speakers, knownNames }: Pick<LabelContext, 'speakers' | 'knownNames'>,
  rejected: readonly Pick<Suggestion, 'speakerId' | 'normalizedName'>[],
): Candidate[] {
  const unnamed = new Set(speakers.filter(({ name }) => name === null).map(({ uuid }) => uuid));
  const taken = new Set(speakers.flatMap(({ name }) => (name ? [normalizedName(name)] : [])));
  const isRejected = ({ speakerUuid, name }: Candidate): boolean =>
    rejected.some((row) => row.speakerId === speakerUuid && row.normalizedName === normalizedName(name));
  const usable = candidates
    .map((candidate) => ({ ...candidate, name: completeName(cleanName(candidate.name), knownNames) }))
    .filter(({ speakerUuid, name }) => speakerUuid !== null && unnamed.has(speakerUuid) && isPersonName(name))
    .filter((candidate) => !taken.has(normalizedName(candidate.name)) && !isRejected(candidate))
    .toSorted((x, y) => y.confidence - x.confidence);
  const chosen: Candidate[] = [];
  for (const candidate of usable) {
    const rivals = usable.filter((other) => normalizedName(other.name) === normalizedName(candidate.name));
    const isTied = rivals.some(
      (other) => other.speakerUuid !== candidate.speakerUuid && other.confidence === candidate.confidence,
    );
    const isFree = chosen.every(
      (other) =>
        other.speakerUuid !== candidate.speakerUuid && normalizedName(other.name) !== normalizedName(candidate.name),
    );
    if (isFree && !isTied) chosen.push(candidate);
  }
  return chosen;
}

/** The full name of the only known person with this first or last name; the name itself when there is none or several. */
export function completeName(name: string, knownNames: readonly string[]): string {
  const wanted = normalizedName(name);
  const same = knownNames.find((known) => normalizedName(known) === wanted);
  if (same !== undefined) return same;
  const fitting = knownNames.filter((known) => normalizedName(known).split(' ').includes(wanted));
  return fitting.length === 1 && fitting[0] !== undefined ? fitting[0] : name;
}

/** Letters, at most five words: a sentence is no name. */
function isPersonName(name: string): boolean {
  return name.length <= maxNameLength && /^\p{L}[\p{L}\p{M}'’.-]*(?: [\p{L}\p{M}'’.-]+){0,4}$/u.test(name);
}

/** The labels that are applied without a person. A shared collection is left to its owner: its readers would see the file. */
export function selectAutomatic(
  candidates: readonly Candidate[],
  preference: AutoLabelPreference,
  collections: readonly Collection[],
): Candidate[] {
  if (!preference.enabled || !preference.allowed) return [];
  const isPrivate = (name: string): boolean =>
    collections.some((collection) => collection.name === name && !collection.isShared);
  return candidates.filter(({ kind, name, confidence }) => {
    if (confidence < preference.confidence_threshold) return false;
    if (kind === 'tag') return preference.tags_enabled;
    return kind === 'collection' && preference.collections_enabled && isPrivate(name);
  });
}

type Preference = Omit<StoredPreference, 'userId'>;

/** What the person chose, over what the administrator chose for all. */
export function effectivePreference(settings: LabelSettings, stored: Preference | null): AutoLabelPreference {
  return {
    allowed: settings.apply_automatically,
    enabled: stored?.enabled ?? true,
    confidence_threshold: stored?.confidenceThreshold ?? settings.confidence_threshold,
    tags_enabled: stored?.tagsEnabled ?? true,
    collections_enabled: stored?.collectionsEnabled ?? true,
    is_set: stored !== null,
  };
}

/** What stays of stored suggestions when more is masked than in the text they were made of: decisions, without quotes. */
export function unmaskedParts(suggestions: readonly Suggestion[], masks: FileMasks): Suggestion[] {
  return suggestions.flatMap((row) => {
    if (!isMoreMasked(masks, row.masks)) return [row];
    return row.status === 'pending' || row.status === 'applying' ? [] : [{ ...row, rationale: '' }];
  });
}

type Reader = { permission: 'owner' | 'editor' | 'viewer'; ownerId: string; transcriptVersion: number };

/** The suggestions of a file as one reader sees them. */
export function toFileSuggestions(
  fileId: string,
  { extractions, suggestions }: { extractions: readonly SuggestionExtraction[]; suggestions: readonly Suggestion[] },
  { permission, ownerId, transcriptVersion }: Reader,
): FileSuggestions {
  const visible = suggestions.filter(({ kind }) => kind !== 'collection' || permission === 'owner');
  const of = (kind: SuggestionKind): Suggestion[] => visible.filter((row) => row.kind === kind);
  const applied = (kind: SuggestionKind): string[] =>
    of(kind)
      .filter(({ status }) => status === 'applied')
      .map(({ name }) => name);
  const labels = extractions.find(({ part }) => part === 'labels');
  const speakers = extractions.find(({ part }) => part === 'speakers');
  return {
    media_file_id: fileId,
    user_id: ownerId,
    suggested_tags: of('tag').map(toSuggestionObject),
    suggested_collections: of('collection').map(toSuggestionObject),
    suggested_speakers: of('speaker').map((row) => ({ ...toSuggestionObject(row), speaker_uuid: row.speakerId ?? '' })),
    status: overallStatus(visible),
    auto_applied_tags: applied('tag'),
    auto_applied_collections: applied('collection'),
    auto_apply_completed_at: labels?.appliedAt?.toISOString() ?? null,
    labels: toExtractionObject(labels, transcriptVersion),
    speakers: toExtractionObject(speakers, transcriptVersion),
    created_at: labels?.createdAt.toISOString() ?? null,
  };
}

function toSuggestionObject(row: Suggestion): SuggestionObject {
  return {
    uuid: row.id,
    name: row.name,
    confidence: row.confidence,
    rationale: row.rationale,
    segment_uuid: row.segmentId,
    start: row.start,
    status: row.status === 'applying' ? 'pending' : (row.status as SuggestionStatus),
  };
}

function toExtractionObject(row: SuggestionExtraction | undefined, transcriptVersion: number): ExtractionObject {
  return {
    state: (row?.state ?? 'none') as ExtractionObject['state'],
    error_code: row?.errorCode ?? null,
    made_without_model: row?.state === 'completed' && row.model === null,
    provider: row?.provider ?? null,
    model: row?.model ?? null,
    out_of_date: row?.state === 'completed' && row.transcriptVersion !== transcriptVersion,
    finished_at: row?.finishedAt?.toISOString() ?? null,
  };
}

function overallStatus(suggestions: readonly Suggestion[]): FileSuggestions['status'] {
  const isIn = (...statuses: string[]): boolean => suggestions.some(({ status }) => statuses.includes(status));
  if (suggestions.length === 0 || isIn('pending', 'applying')) return 'pending';
  const [accepted, rejected] = [isIn('accepted', 'applied'), isIn('rejected', 'undone')];
  if (accepted && rejected) return 'reviewed';
  return accepted ? 'accepted' : 'rejected';
}

/**
 * Consecutive groups of items that fit. An item that does not fit alone is a group of its own: the caller splits it.
 * @param sizeOf the tokens of an item
 */
export function sectionsOf<T>(items: readonly T[], sizeOf: (item: T) => number, maxSize: number): T[][] {
  const sections: T[][] = [];
  let size = 0;
  for (const item of items) {
    const itemSize = sizeOf(item);
    const section = sections.at(-1);
    if (section && size + itemSize <= maxSize) {
      section.push(item);
      size += itemSize;
    } else {
      sections.push([item]);
      size = itemSize;
    }
  }
  return sections;
}

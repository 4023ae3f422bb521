import {
  defaultsOf,
  redactionGroup,
  redactionKinds,
  roleAtLeast,
  settingValues,
  type RedactionAudience,
  type RedactionKind,
  type RedactionPolicy,
  type SegmentObject,
} from '@overtone/contracts';
import { joinMasked, maskText, maskWords, mergeSpans, withheldText, type Span } from '@overtone/redaction';
import type { Caller } from '@overtone/service-kit';
import type { Permission } from '../access/access.ts';

/** A found part of a passage. `kept`: found in an earlier text of the passage, and still part of it. */
export type FoundSpan = Span & { uuid: string; kept?: boolean };

/** What one reader does not see in one file. Without kinds nothing is masked. */
export type Mask = { readonly kinds: ReadonlySet<RedactionKind>; readonly withholdsUnscanned: boolean };

export const noMask: Mask = { kinds: new Set(), withholdsUnscanned: false };

/** In effect until a policy is saved. */
export const defaultPolicy = defaultsOf(redactionGroup);
const policySchema = settingValues(redactionGroup);

/** The sound that is sent to a reader. */
/** `pending`: the recording, while a copy that browsers play is being made. */
export type Playable = { key: string; contentType: string; masked: boolean; pending?: boolean };

/** A stored policy that cannot be read masks everything. */
export function parsePolicy(stored: unknown): RedactionPolicy {
  if (stored === null || stored === undefined) return defaultPolicy;
  // A policy from before audio could be masked has no such field.
  const parsed = policySchema.safeParse({ audio_masking: defaultPolicy.audio_masking, ...stored });
  return parsed.success ? parsed.data : { ...defaultPolicy, masked_kinds: [...redactionKinds], reveal_for: [] };
}

export function audienceOf(
  { userId, role }: Pick<Caller, 'userId' | 'role'>,
  file: { userId: string; permission: Permission },
): RedactionAudience {
  if (file.userId === userId) return 'owner';
  return roleAtLeast(role, 'admin') ? 'administrator' : file.permission;
}

type Choices = { policy: RedactionPolicy; accountKinds: readonly string[]; fileKinds: readonly string[] };

/** Whether something that at least one reader could read is masked by the next policy. */
export function isTighter(next: RedactionPolicy, before: RedactionPolicy): boolean {
  const masked = new Set<string>(policyKinds(before, null));
  const kinds = policyKinds(next, null);
  return kinds.some((kind) => !masked.has(kind)) || (next.withhold_unscanned && !before.withhold_unscanned);
}

/** The kinds that the policy masks for the audience; null: for any reader. */
export function policyKinds({ masked_for, masked_kinds }: RedactionPolicy, audience: RedactionAudience | null) {
  const applies = audience === null ? masked_for.length > 0 : masked_for.includes(audience);
  return applies ? masked_kinds : [];
}

/** The policy's kinds and what the owner added. `audience` null: what at least one reader does not see. */
export function maskOf(
  { policy, accountKinds, fileKinds }: Choices,
  audience: RedactionAudience | null,
  hasFailed: boolean,
): Mask {
  const kinds = new Set([...policyKinds(policy, audience), ...accountKinds, ...fileKinds] as RedactionKind[]);
  return { kinds, withholdsUnscanned: kinds.size > 0 && (policy.withhold_unscanned || hasFailed) };
}

/** The mask as a list that others store and compare: a mask that hides more contains more. */
export function toFileMasks({ kinds, withholdsUnscanned }: Mask): string[] {
  return [...kinds, ...(withholdsUnscanned ? ['unscanned'] : [])].sort();
}

type Readable = Pick<SegmentObject, 'text' | 'words' | 'speaker'>;
type Scan = { found: readonly FoundSpan[]; scanned: boolean };

/** A passage as its reader sees it. */
export function maskSegment<S extends Readable>(segment: S, { found, scanned }: Scan, mask: Mask) {
  const speaker = segment.speaker && maskSpeaker(segment.speaker, mask);
  if (!scanned && mask.withholdsUnscanned)
    return {
      ...segment,
      speaker,
      text: segment.text === '' ? '' : withheldText,
      words: [],
      redactions: [],
      withheld: true,
    };
  const spans = scanned ? maskedSpans(found, mask) : [];
  const { text, spans: placed } = maskText(segment.text, spans);
  const words = joinMasked(maskWords(segment.text, segment.words, spans));
  const redactions = placed.map(({ uuid, kind, start, end }) => ({ uuid, kind, start, end }));
  return { ...segment, speaker, text, words, redactions, withheld: false };
}

export function maskedSpans(found: readonly FoundSpan[], { kinds }: Mask): FoundSpan[] {
  return found.filter(({ kind }) => kinds.has(kind));
}

/** A display name is the name of a person; the label of the diarization is not. */
export function maskSpeaker<S extends { display_name: string | null }>(speaker: S, { kinds }: Mask): S {
  return kinds.has('name') ? { ...speaker, display_name: null } : speaker;
}

/** The spans of a new scan with those that stay: an edit of the words around a masked part must not reveal it. */
export function withStaying(found: readonly Span[], staying: readonly FoundSpan[], newId: () => string): FoundSpan[] {
  // The first of two overlapping spans gives its id.
  const known = staying.map((span) => ({ ...span }));
  const fresh = found.map((span) => ({ ...span, uuid: newId() }));
  return mergeSpans<FoundSpan>([...known, ...fresh]).map((span) => {
    const kept = staying.some((old) => old.kept && old.start < span.end && span.start < old.end);
    return kept ? { ...span, kept } : span;
  });
}

type ScannedRow = { redactions: unknown; redactionKey: string | null };

/** The spans of an earlier scan that stay: all of the same text and rules, and those that an edit kept. */
export function stayingSpans(
  { redactions, redactionKey }: ScannedRow,
  textHash: string,
  detector: string,
): FoundSpan[] {
  const [scannedBy, scannedText] = redactionKey?.split(':') ?? [];
  if (scannedText !== textHash) return [];
  const spans = redactions as FoundSpan[];
  return scannedBy === detector || scannedBy === namesChanged ? spans : spans.filter(({ kept }) => kept);
}

/** In the place of the detector: the names of speakers have changed since the scan. */
export const namesChanged = 'names-changed';

import type { PromptContentType, PromptItem, PromptObject } from '@overtone/contracts';
import type { InsightPrompt } from '../generated/client.ts';
import type { BuiltInPrompt } from './built-in.ts';

/** What a request to a language model is made of, besides the transcript and the shape of the answer. */
export type Instructions = {
  promptUuid: string;
  name: string;
  text: string;
  /** Empty: there is none. */
  organisationContext: string;
  /** The requested or active prompt was deleted or is no longer shared; this is the built-in one. */
  isFallback: boolean;
};
/** @param promptUuid null: the person's active prompt. @param userId null: nobody's, so the built-in prompt. */
export type InstructionsFor = (request: {
  userId: string | null;
  promptUuid: string | null;
  contentType: PromptContentType;
}) => Promise<Instructions>;

/** In this order: an interview for a podcast is a podcast. */
const kindsByTag = [
  ['podcast', /^podcasts?$/],
  ['documentary', /^(documentary|documentaries|lectures?)$/],
  ['interview', /^interviews?$/],
  ['meeting', /^meetings?$/],
] as const;

/** The kind of a recording: its tags name it, otherwise it is general. */
export function contentTypeOf(tags: readonly string[]): PromptContentType {
  const names = tags.map((tag) => tag.normalize('NFC').trim().toLowerCase());
  return kindsByTag.find(([, pattern]) => names.some((name) => pattern.test(name)))?.[0] ?? 'general';
}

/** Without repetitions that differ in case only. */
export function distinctTags(tags: readonly string[]): string[] {
  const byName = new Map<string, string>();
  for (const tag of tags) {
    const name = tag.normalize('NFC').toLowerCase();
    if (!byName.has(name)) byName.set(name, tag);
  }
  return [...byName.values()];
}

export function isReadable(
  { userId, isShared }: Pick<InsightPrompt, 'userId' | 'isShared'>,
  reader: string | null,
): boolean {
  return isShared || userId === reader;
}

type Reader = { userId: string; activeIds: ReadonlySet<string>; names: ReadonlyMap<string, string> };

export function toPromptItem(
  { id, userId, name, description, contentType, tags, isShared, createdAt, updatedAt }: InsightPrompt,
  reader: Reader,
): PromptItem {
  return {
    uuid: id,
    name,
    description,
    content_type: contentType as PromptContentType,
    tags,
    is_system: false,
    is_own: userId === reader.userId,
    is_shared: isShared,
    is_active: reader.activeIds.has(id),
    owner_name: reader.names.get(userId) ?? null,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export function toPromptObject(prompt: InsightPrompt, reader: Reader): PromptObject {
  return { ...toPromptItem(prompt, reader), text: prompt.text };
}

export function toBuiltInItem(
  { id, name, description, contentType }: BuiltInPrompt,
  { activeIds }: Pick<Reader, 'activeIds'>,
): PromptItem {
  return {
    uuid: id,
    name,
    description,
    content_type: contentType,
    tags: [],
    is_system: true,
    is_own: false,
    is_shared: false,
    is_active: activeIds.has(id),
    owner_name: null,
    created_at: null,
    updated_at: null,
  };
}

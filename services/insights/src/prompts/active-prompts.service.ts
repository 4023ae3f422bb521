import { promptContentTypes, promptsGroup, type PromptContentType } from '@overtone/contracts';
import { withChanges, type SettingsStore } from '@overtone/database';
import type { Db, Tx } from '../database.ts';
import type { InsightPrompt } from '../generated/client.ts';
import { builtInOf, builtInPrompts, type BuiltInPrompt } from './built-in.ts';
import { isReadable, type InstructionsFor } from './prompts.ts';
import { findPrompt, readActive } from './prompts.store.ts';

/** The prompt that is used for a content type. */
export type ActivePrompt = { contentType: PromptContentType; isFallback: boolean } & (
  { builtIn: BuiltInPrompt; stored: null } | { builtIn: null; stored: InsightPrompt }
);

/** The active prompts of a person, one for each content type. */
export async function activePromptsOf(db: Db | Tx, userId: string): Promise<ActivePrompt[]> {
  const chosen = await readActive(db, userId);
  return Promise.all(
    promptContentTypes.map((contentType) =>
      resolvePrompt(db, { userId, contentType, promptId: chosen.get(contentType) ?? null }),
    ),
  );
}

/** Resolves the prompt of a request; the built-in one replaces a prompt that no longer exists. */
export function createInstructions({ db, settings }: { db: Db; settings: SettingsStore }): InstructionsFor {
  return async ({ userId, promptUuid, contentType }) => {
    const promptId = promptUuid ?? (userId === null ? null : ((await readActive(db, userId)).get(contentType) ?? null));
    // A prompt that was requested for this recording may be of another kind; the active one is of its own.
    const kind = promptUuid === null ? contentType : null;
    const resolved = await resolvePrompt(db, { userId, contentType, promptId, kind });
    const { values } = await settings.read(db, promptsGroup);
    const { id, name, text } = resolved.builtIn ?? resolved.stored;
    return {
      promptUuid: id,
      name,
      text,
      organisationContext: withChanges(promptsGroup, values, {}).organisation_context,
      isFallback: resolved.isFallback,
    };
  };
}

type Wanted = {
  userId: string | null;
  contentType: PromptContentType;
  promptId: string | null;
  /** The required content type; null: any. */
  kind?: PromptContentType | null;
};

async function resolvePrompt(
  db: Db | Tx,
  { userId, contentType, promptId, kind = contentType }: Wanted,
): Promise<ActivePrompt> {
  const builtIn = promptId === null ? builtInPrompts[contentType] : builtInOf(promptId);
  if (builtIn) return { contentType, isFallback: false, builtIn, stored: null };
  const stored = await findPrompt(db, promptId!);
  const isUsable = stored && isReadable(stored, userId) && (kind === null || stored.contentType === kind);
  return isUsable
    ? { contentType, isFallback: false, builtIn: null, stored }
    : { contentType, isFallback: true, builtIn: builtInPrompts[contentType], stored: null };
}

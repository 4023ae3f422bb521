import { promptRoutes, promptsGroup, type SettingChanges } from '@overtone/contracts';
import { createSettingsStore, recordOperation, type AdminRequest, type Outbox } from '@overtone/database';
import { handle, type KeyRing, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Forgets } from '../erasure/erasure.ts';
import type { People } from '../ports/people.adapter.ts';
import { createInstructions } from './active-prompts.service.ts';
import type { InstructionsFor } from './prompts.ts';
import { createPrompts, type Prompts } from './prompts.service.ts';
import { erasePrompts } from './prompts.store.ts';

type Deps = { db: Db; outbox: Outbox; people: People; keyRing: () => KeyRing };

/** Prompts: what language models pay attention to, and the context of the organisation. */
export function createPromptsSlice({
  db,
  outbox,
  people,
  keyRing,
}: Deps): Slice & { instructionsFor: InstructionsFor; forgets: Forgets } {
  const prompts = createPrompts({ db, people });
  const settings = createSettingsStore({ table: 'insights_settings', keyRing });
  const showContext = async () => ({ settings: await settings.items(db, promptsGroup) });
  const changeContext = async (request: AdminRequest, changes: SettingChanges<typeof promptsGroup>) => {
    await db.$transaction(async (tx) => {
      const { details } = await settings.change(tx, promptsGroup, { changes, by: request.caller.userId });
      await recordOperation({ tx, outbox, request }, 'organisation_context_changed', details);
    });
    return showContext();
  };
  return {
    instructionsFor: createInstructions({ db, settings }),
    forgets: { person: erasePrompts },
    routes: [
      ...promptHandlers(prompts),
      handle(promptRoutes.organisationContext, showContext),
      handle(promptRoutes.updateOrganisationContext, (request) => changeContext(request, request.body)),
    ],
  };
}

function promptHandlers(prompts: Prompts) {
  return [
    handle(promptRoutes.prompts, ({ caller, query }) => prompts.list(caller, query)),
    handle(promptRoutes.createPrompt, ({ caller, body }) => prompts.create(caller, body)),
    handle(promptRoutes.prompt, ({ caller, params }) => prompts.read(caller, params.uuid)),
    handle(promptRoutes.updatePrompt, ({ caller, params, body }) => prompts.update(caller, params.uuid, body)),
    handle(promptRoutes.deletePrompt, ({ caller, params }) => prompts.remove(caller, params.uuid)),
    handle(promptRoutes.promptsByContentType, ({ caller, params, query }) =>
      prompts.list(caller, {
        ...query,
        content_type: params.content_type,
        include_system: true,
        include_user: true,
        include_shared: true,
      }),
    ),
    handle(promptRoutes.activePrompts, ({ caller }) => prompts.active(caller)),
    handle(promptRoutes.setActivePrompt, async ({ caller, body }) => {
      const contentType = await prompts.activate(caller, body.prompt_uuid);
      const { items } = await prompts.active(caller);
      return items.find((item) => item.content_type === contentType)!;
    }),
    handle(promptRoutes.promptLibrary, ({ caller, query }) => prompts.library(caller, query)),
    handle(promptRoutes.togglePromptSharing, ({ caller, params }) => prompts.toggleSharing(caller, params.uuid)),
  ];
}

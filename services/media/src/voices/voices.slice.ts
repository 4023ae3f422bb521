import { mediaRoutes, mediaVoiceEvents, mediaVoiceRpc, voiceEvents, voiceSettings } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { consumer, handle, restingPeriodic, rpc, type Bus, type Log, type Slice } from '@overtone/service-kit';
import { actorOf, recordOperation } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { createVoiceIndex } from '../ports/voice-index.adapter.ts';
import { createDecisions } from './decisions.service.ts';
import { createExcludedVoices } from './excluded-voices.service.ts';
import { createMatching } from './matching.service.ts';
import { createProfiles } from './profiles.service.ts';
import { createVoiceSuggestions } from './suggestions.service.ts';
import { createVoiceExport } from './voice-export.service.ts';
import { createVoiceSources } from './voice-sources.read-model.ts';
import { linkNamedSpeakers, requestMatching, requestMatchingOfAll, voiceSettingsStore } from './voices.store.ts';

type Deps = { db: Db; outbox: Outbox; bus: Bus; log: Log };

const matchEveryMs = 1_000;

/** People whose voice is known: profiles, suggestions who speaks, and voices without a name. */
export function createVoicesSlice({ db, outbox, bus, log }: Deps): Slice {
  const voices = createVoiceIndex({ bus });
  const profiles = createProfiles({ db, outbox });
  const decisions = createDecisions({ db, outbox });
  const excluded = createExcludedVoices({ db, outbox });
  const suggestions = createVoiceSuggestions({ db, voices });
  const exportVoices = createVoiceExport({ db, outbox, voices });
  const sources = createVoiceSources({ db });
  const matching = createMatching({ db, outbox, voices, log });
  const showSettings = async () => ({ settings: await voiceSettingsStore.items(db, voiceSettings) });

  return {
    routes: [
      handle(mediaRoutes.voiceSettings, showSettings),
      handle(mediaRoutes.updateVoiceSettings, async (request) => {
        const { body: changes, caller } = request;
        await db.$transaction(async (tx) => {
          const { before, after, details } = await voiceSettingsStore.change(tx, voiceSettings, {
            changes,
            by: caller.userId,
          });
          if (after.profiles_enabled !== before.profiles_enabled) await setAllowed(tx, after.profiles_enabled);
          if (after.suggestion_threshold !== before.suggestion_threshold) await requestMatchingOfAll(tx);
          await recordOperation(tx, outbox, actorOf(request), 'voice_settings_changed', details);
        });
        return showSettings();
      }),
      handle(mediaRoutes.listProfiles, ({ caller }) => profiles.list(caller)),
      handle(mediaRoutes.exportVoices, (request) => exportVoices(actorOf(request))),
      handle(mediaRoutes.createProfile, (request) => profiles.create(actorOf(request), request.body)),
      handle(mediaRoutes.updateProfile, (request) =>
        profiles.update(actorOf(request), request.params.uuid, request.body),
      ),
      handle(mediaRoutes.deleteProfile, (request) => profiles.remove(actorOf(request), request.params.uuid)),
      handle(mediaRoutes.mergeProfile, (request) =>
        profiles.merge(actorOf(request), request.params.uuid, request.params.target_uuid),
      ),
      handle(mediaRoutes.splitProfile, (request) =>
        profiles.split(actorOf(request), request.params.uuid, request.body),
      ),
      handle(mediaRoutes.profileOccurrences, ({ caller, params }) => profiles.occurrences(caller, params.uuid)),
      handle(mediaRoutes.rejectedVoices, ({ caller, params }) => decisions.rejected(caller, params.uuid)),
      handle(mediaRoutes.excludedVoices, ({ caller }) => excluded.list(caller)),
      handle(mediaRoutes.allowVoices, (request) => excluded.allow(actorOf(request), request.body)),
      handle(mediaRoutes.listClusters, ({ caller }) => suggestions.clusters(caller)),
      handle(mediaRoutes.separateVoices, (request) => decisions.separate(actorOf(request), request.body)),
      handle(mediaRoutes.undoSeparation, (request) => decisions.undoSeparation(actorOf(request), request.body)),
      handle(mediaRoutes.listVoiceSuggestions, ({ caller, query }) => suggestions.list(caller, query.file_uuid)),
      handle(mediaRoutes.decideSuggestion, (request) =>
        decisions.decide(actorOf(request), request.params.uuid, request.body),
      ),
    ],
    rpcs: [rpc(mediaVoiceRpc.voiceSource, sources.read), rpc(mediaVoiceRpc.listVoiceFiles, sources.list)],
    consumers: [
      /** The voices of a file are in the index: its owner's voices are compared with the profiles. */
      consumer(voiceEvents.indexed, 'match-voices', ({ ownerId }) => requestMatching(db, [ownerId])),
      /** Another version of the index is read: all voices are compared again. */
      consumer(voiceEvents.switched, 'match-all-voices', () => requestMatchingOfAll(db)),
    ],
    periodics: [restingPeriodic('match voices', matchEveryMs, matching.matchDue)],
  };

  /** Speakers that have a name get a profile. Forbidding deletes what is stored; search-indexer deletes the embeddings. */
  async function setAllowed(tx: Tx, allowed: boolean): Promise<void> {
    if (allowed) await linkNamedSpeakers(tx);
    else {
      await tx.speakerProfile.deleteMany();
      await tx.speakerApart.deleteMany();
      await tx.voiceMatchDue.deleteMany();
      await tx.speaker.updateMany({ where: { voiceExcluded: true }, data: { voiceExcluded: false } });
    }
    await outbox.add(tx, mediaVoiceEvents.allowedChanged, { allowed });
  }
}

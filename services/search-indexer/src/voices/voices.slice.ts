import { mediaEvents, mediaVoiceEvents, speakerIndexRoutes, voiceRpc, type VoiceVersion } from '@overtone/contracts';
import { recordOperation, type AdminRequest } from '@overtone/database';
import { catchUp, consumer, handle, restingPeriodic, rpc, type Slice } from '@overtone/service-kit';
import { matchProfiles, scoringOf, similarPairs } from './compare.ts';
import { createMigration, type RecordAction } from './migration.service.ts';
import { createVoiceStates } from './voices.store.ts';
import { createVoices, type VoicesDeps } from './voices.service.ts';

type Deps = Omit<VoicesDeps, 'states'>;
type Members = { forgetVoicesOf: (ownerId: string) => Promise<number>; purgeVoices: () => Promise<void> };

const queueEveryMs = 1_000;
const finishEveryMs = 1_000;
const hour = 3_600_000;

/** The voices of speakers: embeddings in the versions of the speaker index, comparisons, and the migration between versions. */
export function createVoicesSlice(deps: Deps): Slice & Members {
  const { db, outbox, index } = deps;
  const states = createVoiceStates({ db });
  const voices = createVoices({ ...deps, states });
  const migration = createMigration({ ...deps, states });

  /** Reads the alias once, so that everything that is compared is of one version. */
  const readCurrent = async (speakerIds: readonly string[]) => {
    const { version } = await states.readAlias();
    const rows = await index.read(version, [...new Set(speakerIds)]);
    return {
      version,
      scoring: scoringOf(version),
      byId: new Map(rows.map((row) => [row.speakerId, row])),
    };
  };

  return {
    forgetVoicesOf: async (ownerId) => {
      const files = await states.filesOfOwner(ownerId);
      for (const fileId of files) await voices.forget(fileId);
      return files.length;
    },
    purgeVoices: async () => await index.purge(await states.versions()),
    parts: [{ name: 'speaker index', start: async () => {}, stop: index.close }],
    consumers: [
      /** A transcript with speakers is stored: their voices are embedded in every version. */
      consumer(mediaEvents.transcriptStored, 'embed-voices', async ({ fileId, ownerId, provisional }) => {
        if (!provisional) await voices.markDue(fileId, ownerId);
      }),
      /** A transcript was edited: voices are embedded again when other parts are spoken by a speaker. */
      consumer(mediaEvents.transcriptEdited, 'embed-edited-voices', ({ fileId, ownerId }) =>
        voices.markDue(fileId, ownerId),
      ),
      consumer(mediaEvents.restored, 'embed-restored-voices', ({ fileId, ownerId }) => voices.markDue(fileId, ownerId)),
      consumer(mediaVoiceEvents.outdated, 'embed-outdated-voices', ({ fileId, ownerId }) =>
        voices.markDue(fileId, ownerId),
      ),
      /** A file was moved to the bin or deleted: removes the embeddings of its speakers. */
      consumer(mediaEvents.binned, 'hide-voices', async ({ fileId }) => void (await voices.forget(fileId))),
      consumer(
        mediaEvents.quarantined,
        'hide-quarantined-voices',
        async ({ fileId }) => void (await voices.forget(fileId)),
      ),
      consumer(mediaEvents.deleted, 'forget-voices', async ({ fileId }) => void (await voices.forget(fileId))),
      /** A retention rule removed the recording; the transcript remains. */
      consumer(
        mediaEvents.recordingRemoved,
        'forget-removed-voices',
        async ({ fileId }) => void (await voices.forget(fileId)),
      ),
      /** Voices may be stored from now on, or must not be any more. */
      consumer(mediaVoiceEvents.allowedChanged, 'follow-voice-setting', async ({ allowed }, { signal }) =>
        allowed ? voices.addMissing(signal) : voices.eraseAll(),
      ),
    ],
    rpcs: [
      rpc(voiceRpc.claimVoices, voices.claim),
      rpc(voiceRpc.completeVoices, voices.complete),
      rpc(voiceRpc.failVoices, voices.fail),
      rpc(voiceRpc.compareVoices, async ({ speakerIds, groups, refused = [] }) => {
        const { scoring, byId } = await readCurrent([...speakerIds, ...groups.flatMap((group) => group.speakerIds)]);
        const rowsOf = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? []);
        const profiles = groups.map((group) => ({ profileId: group.groupId, rows: rowsOf(group.speakerIds) }));
        const leftOut = refused.map(({ speakerId, groupIds }) => ({ speakerId, profileIds: groupIds }));
        const matches = matchProfiles(scoring, rowsOf(speakerIds), profiles, leftOut);
        return { matches: matches.map(({ profileId, ...match }) => ({ ...match, groupId: profileId })) };
      }),
      rpc(voiceRpc.readVoices, ({ speakerIds }) => voices.read(speakerIds)),
      rpc(voiceRpc.similarVoices, async ({ speakerIds, fileIds, minConfidence }) => {
        const { version, scoring, byId } = await readCurrent(speakerIds);
        const pairs = similarPairs(scoring, [...byId.values()], minConfidence);
        return { speakerIds: [...byId.keys()], pairs, ...(await states.listUnfinished(version, fileIds)) };
      }),
    ],
    routes: [
      handle(speakerIndexRoutes.speakerIndex, migration.status),
      handle(speakerIndexRoutes.startSpeakerMigration, async (request) => {
        await migration.begin(request.body.version, recorderOf(request));
        return migration.status();
      }),
      handle(speakerIndexRoutes.stopSpeakerMigration, async (request) => {
        await migration.stop(recorderOf(request));
        return migration.status();
      }),
      handle(speakerIndexRoutes.retryFailedVoices, async (request) => {
        await migration.retryFailed((tx, failed) =>
          recordOperation({ tx, outbox, request }, 'failed_voices_retried', { failed }),
        );
        return migration.status();
      }),
      handle(speakerIndexRoutes.switchSpeakerIndex, async (request) => {
        await migration.switchTo(request.body.version, recorderOf(request));
        return migration.status();
      }),
      handle(speakerIndexRoutes.dropSpeakerIndex, async (request) => {
        await migration.drop(request.params.version, recorderOf(request));
        return migration.status();
      }),
    ],
    periodics: [
      restingPeriodic('queue voice embeddings', queueEveryMs, voices.queueDue),
      restingPeriodic('finish a speaker index migration', finishEveryMs, migration.finish),
      catchUp('add voices that are missing', hour, async (signal) => {
        await voices.addMissing(signal);
        await migration.repairAll();
      }),
    ],
  };

  function recorderOf(request: AdminRequest): RecordAction {
    return (tx, action, version: VoiceVersion) => recordOperation({ tx, outbox, request }, action, { version });
  }
}

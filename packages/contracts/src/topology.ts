import { asrRoutes, asrRpc, asrWorkerRpc } from './asr-providers.ts';
import {
  queues,
  type EventDef,
  type JobDef,
  type LiveDef,
  type Queue,
  type RouteDef,
  type RpcDef,
  type ServiceName,
} from './define.ts';
import { backupRoutes, mirrorRoutes, operationsJobs, operationsRunEvents } from './backup.ts';
import { directorySyncRpc } from './directory-sync-rpc.ts';
import { directoryJobs, directorySyncEvents, directorySyncRoutes } from './directory-sync.ts';
import { engineSettingsRoutes, engineSettingsRpc } from './engine-settings.ts';
import { gpuRoutes, gpuRpc } from './gpu.ts';
import { identityRoutes } from './identity.ts';
import { approvalRoutes } from './identity-approvals.ts';
import { auditRoutes } from './identity-audit.ts';
import { authConfigRoutes } from './identity-auth-config.ts';
import { erasureEvents, erasureRoutes, erasureRpc, userErasureOrdered } from './identity-erasure.ts';
import { identityEvents, identityRpc } from './identity-events.ts';
import { explanationRoutes } from './identity-explanation.ts';
import { groupRoutes } from './identity-groups.ts';
import { issuerRoutes } from './identity-issuers.ts';
import { mappingRoutes } from './identity-mappings.ts';
import { userRoutes } from './identity-users.ts';
import { askRoutes } from './insights-ask.ts';
import { insightsJobs } from './insights-jobs.ts';
import { suggestionEvents, suggestionRoutes } from './insights-suggestions.ts';
import { promptRoutes } from './insights-prompts.ts';
import { modelProviderRoutes } from './insights-providers.ts';
import { insightsRpc } from './insights-rpc.ts';
import { summaryEvents, summaryLive, summaryRoutes } from './insights-summaries.ts';
import { mediaRoutes } from './media.ts';
import { collectionRpc } from './media-collections.ts';
import { downloadJobs, importLive, importRpc } from './media-imports.ts';
import { mediaEvents, mediaRpc } from './media-events.ts';
import { labelRpc } from './media-labels.ts';
import { mediaInsightsRpc } from './media-insights.ts';
import { modelJobs, modelRoutes, modelRpc } from './models.ts';
import { collectionNamesRpc } from './media-collections-rpc.ts';
import { maskedAudioJobs, maskedAudioRpc } from './media-masked-audio.ts';
import { vocabularyRpc } from './media-vocabulary.ts';
import { presenceLive } from './media-presence.ts';
import { redactionJobs } from './media-redaction-jobs.ts';
import { notificationEvents, notificationRoutes } from './notifications.ts';
import { dispatcherRoutes, operationsEvents } from './operations.ts';
import { searchEvents, searchRoutes } from './search.ts';
import { foundRpc, retrievalRpc } from './search-retrieval.ts';
import { reindexRoutes } from './search-reindex.ts';
import { savedSearchRoutes } from './search-saved.ts';
import { speakerIndexRoutes } from './search-speaker-index.ts';
import { systemRoutes } from './system.ts';
import { dispatcherRpc, workerRpc } from './transcription-claims.ts';
import { transcriptionEvents, transcriptionLive } from './transcription-events.ts';
import { indexerJobs, stageJobs, systemJobs, workerJobs } from './transcription-jobs.ts';
import { mediaVoiceEvents, mediaVoiceRpc, voiceEvents, voiceJobs, voiceRpc } from './voices.ts';

/** The messages that each service sends and receives; source of bus permissions, AsyncAPI and README tables. */
export type Topology = {
  readonly emits: readonly EventDef[];
  /** By the consumer's name: its durable is `<service>-<name>`. */
  readonly consumes: Readonly<Record<string, EventDef>>;
  /** Delivered to every replica by the feed of all events (`eventFeed`), without state in the broker. */
  readonly follows: readonly EventDef[];
  /** Subscribed live by every replica, without catching up: a replica that was disconnected clears its cache. */
  readonly subscribes: readonly EventDef[];
  readonly enqueues: readonly JobDef[];
  readonly works: readonly JobDef[];
  readonly requests: readonly RpcDef[];
  readonly serves: readonly RpcDef[];
  readonly sendsLive: readonly LiveDef[];
  readonly receivesLive: readonly LiveDef[];
};

const noMessages: Topology = {
  emits: [],
  consumes: {},
  follows: [],
  subscribes: [],
  enqueues: [],
  works: [],
  requests: [],
  serves: [],
  sendsLive: [],
  receivesLive: [],
};
const claimRequests: Partial<Topology> = {
  requests: [dispatcherRpc.claim, dispatcherRpc.complete, dispatcherRpc.fail, dispatcherRpc.release],
};

export const topology: Record<ServiceName, Topology> = {
  identity: {
    ...noMessages,
    emits: [...all<EventDef>(identityEvents), ...all<EventDef>(notificationEvents), userErasureOrdered],
    consumes: {
      'record-operations': operationsEvents.performed,
      'record-file-actions': mediaEvents.actionPerformed,
      'record-erasure-media': erasureEvents.media,
      'record-erasure-search-indexer': erasureEvents['search-indexer'],
      'record-erasure-transcription-dispatcher': erasureEvents['transcription-dispatcher'],
      'record-erasure-directory-sync': erasureEvents['directory-sync'],
      'record-erasure-operations': erasureEvents.operations,
      'record-erasure-insights': erasureEvents.insights,
      'notify-shared': mediaEvents.shared,
      'notify-collection-shared': mediaEvents.collectionShared,
      'notify-edited': mediaEvents.transcriptEdited,
      'notify-mentioned': mediaEvents.commented,
      'notify-commented': mediaEvents.commented,
      'notify-transcribed': mediaEvents.transcriptionEnded,
      'notify-run-failed': operationsRunEvents.failed,
      'notify-run-held': directorySyncEvents.runHeld,
      'forget-file': mediaEvents.deleted,
    },
    subscribes: [identityEvents.settingsChanged],
    requests: [...all<RpcDef>(erasureRpc), mediaRpc.describeFiles, ...all<RpcDef>(collectionNamesRpc)],
    serves: [...all<RpcDef>(identityRpc), ...all<RpcDef>(directorySyncRpc)],
  },
  'directory-sync': {
    ...noMessages,
    emits: [erasureEvents['directory-sync'], operationsEvents.performed, ...all<EventDef>(directorySyncEvents)],
    consumes: { 'erase-person': userErasureOrdered },
    enqueues: all(directoryJobs),
    works: all(directoryJobs),
    requests: [...all<RpcDef>(directorySyncRpc), identityRpc.names, dispatcherRpc.paused],
  },
  media: {
    ...noMessages,
    emits: [
      ...all<EventDef>(mediaEvents),
      ...all<EventDef>(mediaVoiceEvents),
      operationsEvents.performed,
      erasureEvents.media,
    ],
    consumes: {
      'take-over-run': transcriptionEvents.runOpened,
      'show-stage': transcriptionEvents.stageStarted,
      'reset-file': transcriptionEvents.stageReset,
      'store-results': transcriptionEvents.stageCompleted,
      'show-waiting': transcriptionEvents.runWaiting,
      'complete-file': transcriptionEvents.runCompleted,
      'fail-file': transcriptionEvents.runFailed,
      'stop-file': transcriptionEvents.runCancelled,
      'resume-file': transcriptionEvents.runResumed,
      'remove-objects': mediaEvents.deleted,
      'remove-recording': mediaEvents.recordingRemoved,
      'follow-memberships': identityEvents.membershipChanged,
      'forget-group': identityEvents.groupDeleted,
      'forget-person': identityEvents.userDeleted,
      'end-links': identityEvents.userDisabled,
      'erase-person': userErasureOrdered,
      'match-voices': voiceEvents.indexed,
      'match-all-voices': voiceEvents.switched,
    },
    enqueues: [...all<JobDef>(downloadJobs), ...all<JobDef>(redactionJobs), ...all<JobDef>(maskedAudioJobs)],
    works: all<JobDef>(redactionJobs),
    requests: [
      identityRpc.memberships,
      identityRpc.names,
      identityRpc.findAccounts,
      dispatcherRpc.languages,
      dispatcherRpc.paused,
      workerRpc.namesModel,
      workerRpc.findNames,
      insightsRpc.summary,
      foundRpc.foundFiles,
      voiceRpc.compareVoices,
      voiceRpc.readVoices,
      voiceRpc.similarVoices,
    ],
    serves: [
      ...all<RpcDef>(mediaRpc),
      ...all<RpcDef>(collectionRpc),
      ...all<RpcDef>(mediaInsightsRpc),
      ...all<RpcDef>(importRpc),
      ...all<RpcDef>(maskedAudioRpc),
      ...all<RpcDef>(erasureRpc),
      ...all<RpcDef>(labelRpc),
      ...all<RpcDef>(collectionNamesRpc),
      ...all<RpcDef>(mediaVoiceRpc),
      ...all<RpcDef>(vocabularyRpc),
    ],
    sendsLive: [importLive.progress, presenceLive.reported],
  },
  'transcription-dispatcher': {
    ...noMessages,
    emits: [
      ...all<EventDef>(transcriptionEvents),
      ...all<EventDef>(operationsEvents),
      erasureEvents['transcription-dispatcher'],
    ],
    consumes: {
      'start-run': mediaEvents.uploaded,
      'restart-run': mediaEvents.reprocessOrdered,
      'cancel-run': mediaEvents.cancelOrdered,
      'forget-file': mediaEvents.deleted,
      'order-index': mediaEvents.transcriptStored,
      'erase-person': userErasureOrdered,
    },
    enqueues: [...all<JobDef>(stageJobs), ...all<JobDef>(systemJobs), ...all<JobDef>(modelJobs)],
    works: all(systemJobs),
    requests: [
      mediaRpc.describeFiles,
      identityRpc.names,
      dispatcherRpc.paused,
      ...all<RpcDef>(asrWorkerRpc),
      ...all<RpcDef>(modelRpc),
    ],
    serves: [
      ...all<RpcDef>(dispatcherRpc),
      ...all<RpcDef>(gpuRpc),
      ...all<RpcDef>(engineSettingsRpc),
      ...all<RpcDef>(asrRpc),
    ],
    sendsLive: [transcriptionLive.fileProgress, transcriptionLive.taskCancelled],
    receivesLive: [transcriptionLive.taskProgress],
  },
  'transcription-worker': {
    ...noMessages,
    subscribes: [transcriptionEvents.settingsChanged],
    works: [
      ...all<JobDef>(workerJobs),
      ...all<JobDef>(downloadJobs),
      ...all<JobDef>(maskedAudioJobs),
      ...all<JobDef>(modelJobs),
      ...all<JobDef>(voiceJobs),
    ],
    requests: [
      ...(claimRequests.requests ?? []),
      gpuRpc.recordProfile,
      engineSettingsRpc.read,
      asrRpc.providers,
      dispatcherRpc.paused,
      importRpc.claimImport,
      importRpc.importProgress,
      importRpc.completeImport,
      importRpc.failImport,
      ...all<RpcDef>(maskedAudioRpc),
      ...all<RpcDef>(vocabularyRpc),
      voiceRpc.claimVoices,
      voiceRpc.completeVoices,
      voiceRpc.failVoices,
    ],
    serves: [...all<RpcDef>(workerRpc), ...all<RpcDef>(asrWorkerRpc), ...all<RpcDef>(modelRpc)],
    sendsLive: [transcriptionLive.taskProgress],
    receivesLive: [transcriptionLive.taskCancelled],
  },
  'search-indexer': {
    ...noMessages,
    emits: [
      ...all<EventDef>(searchEvents),
      ...all<EventDef>(voiceEvents),
      operationsEvents.performed,
      erasureEvents['search-indexer'],
    ],
    consumes: {
      'forget-file': mediaEvents.deleted,
      'hide-file': mediaEvents.binned,
      'hide-quarantined-file': mediaEvents.quarantined,
      'restore-file': mediaEvents.restored,
      'follow-edits': mediaEvents.transcriptEdited,
      'withhold-outdated': mediaEvents.masksTightened,
      'follow-files': mediaEvents.updated,
      'follow-access': mediaEvents.accessChanged,
      'follow-memberships': identityEvents.membershipChanged,
      'erase-person': userErasureOrdered,
      'embed-voices': mediaEvents.transcriptStored,
      'embed-edited-voices': mediaEvents.transcriptEdited,
      'embed-restored-voices': mediaEvents.restored,
      'embed-outdated-voices': mediaVoiceEvents.outdated,
      'hide-voices': mediaEvents.binned,
      'hide-quarantined-voices': mediaEvents.quarantined,
      'forget-voices': mediaEvents.deleted,
      'forget-removed-voices': mediaEvents.recordingRemoved,
      'follow-voice-setting': mediaVoiceEvents.allowedChanged,
    },
    enqueues: all<JobDef>(voiceJobs),
    works: all(indexerJobs),
    requests: [
      ...(claimRequests.requests ?? []),
      mediaRpc.transcriptPage,
      mediaRpc.listTranscribed,
      mediaRpc.listShared,
      ...all<RpcDef>(collectionRpc),
      identityRpc.memberships,
      workerRpc.embed,
      ...all<RpcDef>(mediaVoiceRpc),
    ],
    serves: [...all<RpcDef>(retrievalRpc), ...all<RpcDef>(foundRpc), ...all<RpcDef>(voiceRpc)],
    sendsLive: [transcriptionLive.taskProgress],
    receivesLive: [transcriptionLive.taskCancelled],
  },
  operations: {
    ...noMessages,
    emits: [...all<EventDef>(operationsEvents), ...all<EventDef>(operationsRunEvents), erasureEvents.operations],
    consumes: { 'erase-mirrored': erasureEvents.media, 'erase-person': userErasureOrdered },
    enqueues: all<JobDef>(operationsJobs),
    works: all<JobDef>(operationsJobs),
    requests: [dispatcherRpc.paused],
  },
  insights: {
    ...noMessages,
    emits: [
      operationsEvents.performed,
      erasureEvents.insights,
      ...all<EventDef>(summaryEvents),
      ...all<EventDef>(suggestionEvents),
    ],
    consumes: {
      'forget-file': mediaEvents.deleted,
      'erase-person': userErasureOrdered,
      'remove-unmasked-answers': mediaEvents.masksTightened,
      'mark-edited-answers': mediaEvents.transcriptEdited,
      'forget-conversations': identityEvents.userDeleted,
      'forget-language-models': identityEvents.userDeleted,
      'end-group-shares': identityEvents.groupDeleted,
      'summarize-transcribed': mediaEvents.transcriptionEnded,
      'review-edited': mediaEvents.transcriptEdited,
      'withhold-summaries': mediaEvents.masksTightened,
      'stop-binned': mediaEvents.binned,
      'stop-quarantined': mediaEvents.quarantined,
      'suggest-for-transcript': mediaEvents.transcriptionEnded,
      'withhold-suggestions': mediaEvents.masksTightened,
    },
    enqueues: all<JobDef>(insightsJobs),
    works: all<JobDef>(insightsJobs),
    requests: [
      dispatcherRpc.paused,
      identityRpc.names,
      identityRpc.readerGroups,
      workerRpc.embed,
      ...all<RpcDef>(mediaInsightsRpc),
      collectionRpc.filesOf,
      ...all<RpcDef>(collectionNamesRpc),
      ...all<RpcDef>(retrievalRpc),
      ...all<RpcDef>(labelRpc),
    ],
    serves: all<RpcDef>(insightsRpc),
    sendsLive: [summaryLive.progress],
  },
  'realtime-gateway': {
    ...noMessages,
    follows: [
      mediaEvents.uploaded,
      mediaEvents.updated,
      mediaEvents.binned,
      mediaEvents.restored,
      mediaEvents.deleted,
      mediaEvents.shared,
      mediaEvents.collectionChanged,
      mediaEvents.transcriptionEnded,
      mediaEvents.transcriptStored,
      mediaEvents.transcriptEdited,
      mediaEvents.commentsChanged,
      mediaEvents.codingsChanged,
      mediaEvents.codeListChanged,
      searchEvents.fileIndexed,
      suggestionEvents.changed,
      summaryEvents.changed,
      mediaEvents.accessChanged,
      identityEvents.membershipChanged,
      identityEvents.sessionRevoked,
      notificationEvents.changed,
    ],
    requests: [identityRpc.resolveSession, identityRpc.memberships, mediaRpc.listShared],
    receivesLive: [transcriptionLive.fileProgress, importLive.progress, summaryLive.progress, presenceLive.reported],
  },
  'edge-gateway': {
    ...noMessages,
    subscribes: [identityEvents.sessionRevoked, identityEvents.userUpdated, identityEvents.settingsChanged],
  },
};

/** Queues that have at least one job kind, in the order of the specification. */
export const queuesWithJobs: readonly Queue[] = queues.filter((queue) =>
  Object.values(topology).some(({ works }) => works.some((job) => job.queue === queue)),
);

/** Every HTTP route of the platform, by service. */
export const routes: readonly RouteDef[] = [
  ...all<RouteDef>(identityRoutes),
  ...all<RouteDef>(authConfigRoutes),
  ...all<RouteDef>(issuerRoutes),
  ...all<RouteDef>(userRoutes),
  ...all<RouteDef>(approvalRoutes),
  ...all<RouteDef>(erasureRoutes),
  ...all<RouteDef>(auditRoutes),
  ...all<RouteDef>(explanationRoutes),
  ...all<RouteDef>(notificationRoutes),
  ...all<RouteDef>(groupRoutes),
  ...all<RouteDef>(mappingRoutes),
  ...all<RouteDef>(directorySyncRoutes),
  ...all<RouteDef>(mediaRoutes),
  ...all<RouteDef>(dispatcherRoutes),
  ...all<RouteDef>(gpuRoutes),
  ...all<RouteDef>(engineSettingsRoutes),
  ...all<RouteDef>(asrRoutes),
  ...all<RouteDef>(modelRoutes),
  ...all<RouteDef>(searchRoutes),
  ...all<RouteDef>(reindexRoutes),
  ...all<RouteDef>(savedSearchRoutes),
  ...all<RouteDef>(speakerIndexRoutes),
  ...all<RouteDef>(backupRoutes),
  ...all<RouteDef>(mirrorRoutes),
  ...all<RouteDef>(suggestionRoutes),
  ...all<RouteDef>(askRoutes),
  ...all<RouteDef>(promptRoutes),
  ...all<RouteDef>(modelProviderRoutes),
  ...all<RouteDef>(summaryRoutes),
  ...all<RouteDef>(systemRoutes),
];

/** Durable name of a consumer; the broker rejects dots in it. */
export function eventDurable(service: ServiceName, name: string): string {
  return `${service}-${name}`;
}

function all<T>(definitions: Record<string, T>): T[] {
  return Object.values(definitions);
}

/** The push consumer of EVENTS that the dispatcher creates: every subscriber of its subject receives all events. */
export const eventFeed = { durable: 'event-feed', subject: 'feed.events' } as const;

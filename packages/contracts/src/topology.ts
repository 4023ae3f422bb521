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
import { sweepRpc } from './directory-sweep.ts';
import { directoryJobs, directorySyncRoutes } from './directory-sync.ts';
import { gpuRoutes, gpuRpc } from './gpu.ts';
import { identityRoutes } from './identity.ts';
import { approvalRoutes } from './identity-approvals.ts';
import { auditRoutes } from './identity-audit.ts';
import { authConfigRoutes } from './identity-auth-config.ts';
import { identityEvents, identityRpc } from './identity-events.ts';
import { explanationRoutes } from './identity-explanation.ts';
import { groupRoutes } from './identity-groups.ts';
import { mappingRoutes } from './identity-mappings.ts';
import { userRoutes } from './identity-users.ts';
import { mediaRoutes } from './media.ts';
import { mediaEvents, mediaRpc } from './media-events.ts';
import { dispatcherRoutes, operationsEvents } from './operations.ts';
import { searchEvents, searchRoutes } from './search.ts';
import { systemRoutes } from './system.ts';
import { dispatcherRpc, workerRpc } from './transcription-claims.ts';
import { transcriptionEvents, transcriptionLive } from './transcription-events.ts';
import { indexerJobs, stageJobs, systemJobs, workerJobs } from './transcription-jobs.ts';

/** Who says and hears what; bus permissions, AsyncAPI and the services' README tables follow from it. */
export type Topology = {
  readonly emits: readonly EventDef[];
  /** By the consumer's name: its durable is `<service>-<name>`. */
  readonly consumes: Readonly<Record<string, EventDef>>;
  /** Followed by every replica through the feed of all events (`eventFeed`), which leaves no state in the broker. */
  readonly follows: readonly EventDef[];
  /** Heard as they are told, by every replica; who was away forgets what it knew instead of catching up. */
  readonly listens: readonly EventDef[];
  readonly orders: readonly JobDef[];
  readonly works: readonly JobDef[];
  readonly asks: readonly RpcDef[];
  readonly serves: readonly RpcDef[];
  readonly says: readonly LiveDef[];
  readonly hears: readonly LiveDef[];
};
const all = <T>(o: Record<string, T>): T[] => Object.values(o);
const nothing: Topology = {
  emits: [],
  consumes: {},
  follows: [],
  listens: [],
  orders: [],
  works: [],
  asks: [],
  serves: [],
  says: [],
  hears: [],
};
const jobHolder: Partial<Topology> = {
  asks: [dispatcherRpc.claim, dispatcherRpc.complete, dispatcherRpc.fail, dispatcherRpc.release],
};

export const topology: Record<ServiceName, Topology> = {
  identity: {
    ...nothing,
    emits: all(identityEvents),
    consumes: {
      'record-operations': operationsEvents.performed,
      'record-file-actions': mediaEvents.actionPerformed,
    },
    listens: [identityEvents.settingsChanged],
    serves: [...all<RpcDef>(identityRpc), ...all<RpcDef>(sweepRpc)],
  },
  'directory-sync': {
    ...nothing,
    orders: all(directoryJobs),
    works: all(directoryJobs),
    asks: [...all<RpcDef>(sweepRpc), identityRpc.names, dispatcherRpc.paused],
  },
  media: {
    ...nothing,
    emits: all(mediaEvents),
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
      'follow-memberships': identityEvents.membershipChanged,
      'forget-group': identityEvents.groupDeleted,
      'forget-person': identityEvents.userDeleted,
    },
    asks: [identityRpc.memberships, identityRpc.names, dispatcherRpc.languages],
    serves: all<RpcDef>(mediaRpc),
  },
  'transcription-dispatcher': {
    ...nothing,
    emits: [...all<EventDef>(transcriptionEvents), ...all<EventDef>(operationsEvents)],
    consumes: {
      'start-run': mediaEvents.uploaded,
      'restart-run': mediaEvents.reprocessOrdered,
      'cancel-run': mediaEvents.cancelOrdered,
      'forget-file': mediaEvents.deleted,
      'order-index': mediaEvents.transcriptStored,
    },
    orders: [...all<JobDef>(stageJobs), ...all<JobDef>(systemJobs)],
    works: all(systemJobs),
    asks: [mediaRpc.standing, identityRpc.names, dispatcherRpc.paused],
    serves: [...all<RpcDef>(dispatcherRpc), ...all<RpcDef>(gpuRpc)],
    says: [transcriptionLive.fileProgress, transcriptionLive.taskCancelled],
    hears: [transcriptionLive.taskProgress],
  },
  'transcription-worker': {
    ...nothing,
    works: all(workerJobs),
    asks: [...(jobHolder.asks ?? []), gpuRpc.recordProfile],
    serves: all(workerRpc),
    says: [transcriptionLive.taskProgress],
    hears: [transcriptionLive.taskCancelled],
  },
  'search-indexer': {
    ...nothing,
    emits: all(searchEvents),
    consumes: {
      'forget-file': mediaEvents.deleted,
      'hide-file': mediaEvents.binned,
      'restore-file': mediaEvents.restored,
      'follow-edits': mediaEvents.transcriptEdited,
      'follow-files': mediaEvents.updated,
      'follow-access': mediaEvents.accessChanged,
      'follow-memberships': identityEvents.membershipChanged,
    },
    works: all(indexerJobs),
    asks: [
      ...(jobHolder.asks ?? []),
      mediaRpc.transcriptPage,
      mediaRpc.listTranscribed,
      mediaRpc.listShared,
      identityRpc.memberships,
      workerRpc.embed,
    ],
    says: [transcriptionLive.taskProgress],
    hears: [transcriptionLive.taskCancelled],
  },
  'realtime-gateway': {
    ...nothing,
    follows: [
      mediaEvents.uploaded,
      mediaEvents.updated,
      mediaEvents.binned,
      mediaEvents.restored,
      mediaEvents.deleted,
      mediaEvents.shared,
      mediaEvents.transcriptionEnded,
      mediaEvents.transcriptStored,
      mediaEvents.transcriptEdited,
      searchEvents.fileIndexed,
      mediaEvents.accessChanged,
      identityEvents.membershipChanged,
      identityEvents.sessionRevoked,
    ],
    asks: [identityRpc.resolveSession, identityRpc.memberships, mediaRpc.listShared],
    hears: [transcriptionLive.fileProgress],
  },
  'edge-gateway': {
    ...nothing,
    listens: [identityEvents.sessionRevoked, identityEvents.userUpdated, identityEvents.settingsChanged],
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
  ...all<RouteDef>(userRoutes),
  ...all<RouteDef>(approvalRoutes),
  ...all<RouteDef>(auditRoutes),
  ...all<RouteDef>(explanationRoutes),
  ...all<RouteDef>(groupRoutes),
  ...all<RouteDef>(mappingRoutes),
  ...all<RouteDef>(directorySyncRoutes),
  ...all<RouteDef>(mediaRoutes),
  ...all<RouteDef>(dispatcherRoutes),
  ...all<RouteDef>(gpuRoutes),
  ...all<RouteDef>(searchRoutes),
  ...all<RouteDef>(systemRoutes),
];

/** Durable name of a consumer; the broker refuses dots in it. */
export const eventDurable = (service: ServiceName, name: string): string => `${service}-${name}`;

/** The push consumer of EVENTS that the dispatcher creates: every subscriber of its subject gets every event. */
export const eventFeed = { durable: 'event-feed', subject: 'feed.events' } as const;

import {
  jobDurable,
  type EventDef,
  type JobDef,
  type LiveDef,
  type RouteDef,
  type RpcDef,
  type ServiceName,
} from './define.ts';
import { identityEvents, identityRoutes, identityRpc } from './identity.ts';
import { mediaEvents, mediaRoutes, mediaRpc } from './media.ts';
import { searchEvents, searchRoutes } from './search.ts';
import { systemRoutes } from './system.ts';
import {
  dispatcherRoutes,
  dispatcherRpc,
  indexerJobs,
  stageJobs,
  transcriptionEvents,
  transcriptionLive,
  workerJobs,
  workerRpc,
} from './transcription.ts';

/** Who says and hears what; bus permissions, AsyncAPI and the services' README tables follow from it. */
export type Topology = {
  readonly emits: readonly EventDef[];
  readonly consumes: readonly EventDef[];
  readonly orders: readonly JobDef[];
  readonly works: readonly JobDef[];
  readonly asks: readonly RpcDef[];
  readonly serves: readonly RpcDef[];
  readonly says: readonly LiveDef[];
  readonly hears: readonly LiveDef[];
};
const all = <T>(o: Record<string, T>): T[] => Object.values(o);
const nothing: Topology = { emits: [], consumes: [], orders: [], works: [], asks: [], serves: [], says: [], hears: [] };
const jobHolder: Partial<Topology> = {
  asks: [dispatcherRpc.claim, dispatcherRpc.complete, dispatcherRpc.fail, dispatcherRpc.release],
};

export const topology: Record<ServiceName, Topology> = {
  identity: { ...nothing, emits: all(identityEvents), serves: all(identityRpc) },
  'directory-sync': nothing,
  media: { ...nothing, emits: all(mediaEvents), consumes: all(transcriptionEvents), serves: all(mediaRpc) },
  'transcription-dispatcher': {
    ...nothing,
    emits: all(transcriptionEvents),
    consumes: [
      mediaEvents.uploaded,
      mediaEvents.reprocessOrdered,
      mediaEvents.cancelOrdered,
      mediaEvents.deleted,
      mediaEvents.transcriptStored,
    ],
    orders: all(stageJobs),
    serves: all(dispatcherRpc),
    says: [transcriptionLive.fileProgress, transcriptionLive.taskCancelled],
    hears: [transcriptionLive.taskProgress],
  },
  'transcription-worker': {
    ...nothing,
    works: all(workerJobs),
    asks: jobHolder.asks ?? [],
    serves: all(workerRpc),
    says: [transcriptionLive.taskProgress],
    hears: [transcriptionLive.taskCancelled],
  },
  'search-indexer': {
    ...nothing,
    emits: all(searchEvents),
    consumes: [mediaEvents.deleted, mediaEvents.transcriptEdited, mediaEvents.updated],
    works: all(indexerJobs),
    asks: [
      ...(jobHolder.asks ?? []),
      dispatcherRpc.orderIndex,
      mediaRpc.transcriptPage,
      mediaRpc.listTranscribed,
      workerRpc.embed,
    ],
    says: [transcriptionLive.taskProgress],
    hears: [transcriptionLive.taskCancelled],
  },
  'realtime-gateway': {
    ...nothing,
    consumes: [
      mediaEvents.uploaded,
      mediaEvents.updated,
      mediaEvents.deleted,
      mediaEvents.transcriptStored,
      mediaEvents.transcriptEdited,
      searchEvents.fileIndexed,
      identityEvents.sessionRevoked,
    ],
    asks: [identityRpc.resolveSession],
    hears: [transcriptionLive.fileProgress],
  },
  'edge-gateway': {
    ...nothing,
    consumes: [identityEvents.sessionRevoked, identityEvents.userUpdated],
    asks: [identityRpc.resolveSession],
  },
};

/** Every HTTP route of the platform, by service. */
export const routes: readonly RouteDef[] = [
  ...all<RouteDef>(identityRoutes),
  ...all<RouteDef>(mediaRoutes),
  ...all<RouteDef>(dispatcherRoutes),
  ...all<RouteDef>(searchRoutes),
  ...all<RouteDef>(systemRoutes),
];

export type NatsPermissions = { publish: string[]; subscribe: string[] };

/** Publish and subscribe permissions of one service's bus user: it can speak only for itself. */
export const natsPermissions = (service: ServiceName): NatsPermissions => {
  const t = topology[service];
  const durables = [...new Set(t.works.map(jobDurable))];
  const own = `${service}-*`;
  const publish = [
    ...[...t.emits, ...t.orders, ...t.asks, ...t.says].map((d) => d.subject),
    // Its own consumers on EVENTS, the shared durables of the queues it works on, and their acknowledgements.
    '$JS.API.INFO',
    '$JS.API.STREAM.INFO.EVENTS',
    `$JS.API.CONSUMER.*.EVENTS.${own}`,
    `$JS.API.CONSUMER.*.EVENTS.${own}.>`,
    `$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.${own}`,
    `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${own}`,
    `$JS.ACK.EVENTS.${own}.>`,
    ...(service === 'realtime-gateway' || service === 'edge-gateway'
      ? ['$JS.API.CONSUMER.*.EVENTS.>', '$JS.API.CONSUMER.CREATE.EVENTS', '$JS.API.STREAM.NAMES', '$JS.FC.>']
      : []),
    ...(durables.length > 0
      ? [
          '$JS.API.STREAM.INFO.JOBS',
          '$JS.API.STREAM.INFO.KV_*',
          '$KV.LEASES.>',
          '$KV.WORKERS.>',
          ...durables.flatMap((d) => [
            `$JS.API.CONSUMER.INFO.JOBS.${d}`,
            `$JS.API.CONSUMER.MSG.NEXT.JOBS.${d}`,
            `$JS.ACK.JOBS.${d}.>`,
          ]),
        ]
      : []),
    // The dispatcher owns the streams: it makes them, counts them and reads every lease.
    ...(service === 'transcription-dispatcher' ? ['$JS.API.>', '$JS.ACK.>', '$KV.>'] : []),
    '_INBOX.>',
  ];
  return {
    publish: [...new Set(publish)],
    subscribe: [...new Set([`_INBOX.${service}.>`, ...[...t.serves, ...t.hears].map((d) => d.subject)])],
  };
};

/** Permissions of every bus user, for the server's configuration. */
export const natsUsers = (): Record<ServiceName, NatsPermissions> =>
  Object.fromEntries((Object.keys(topology) as ServiceName[]).map((s) => [s, natsPermissions(s)])) as Record<
    ServiceName,
    NatsPermissions
  >;

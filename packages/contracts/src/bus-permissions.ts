import { jobDurable, type ServiceName } from './define.ts';
import { eventDurable, eventFeed, topology } from './topology.ts';

const useOfConsumer = (stream: string, durable: string): string[] => [
  `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
  `$JS.ACK.${stream}.${durable}.>`,
];

/** What its consumers take: each has a durable, made by itself. */
const consuming = (service: ServiceName): string[] =>
  Object.entries(topology[service].consumes).flatMap(([name, event]) => {
    const durable = eventDurable(service, name);
    return [
      `$JS.API.CONSUMER.CREATE.EVENTS.${durable}.${event.subject}`,
      `$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.${durable}`,
      ...useOfConsumer('EVENTS', durable),
    ];
  });

/** Events by their sequence: what a follower of the feed has missed. Only the owner of the stream may create consumers of it. */
const following = ['$JS.API.STREAM.MSG.GET.EVENTS'];

const working = (durables: readonly string[]): string[] => [
  '$JS.API.STREAM.INFO.JOBS',
  '$JS.API.STREAM.INFO.KV_LEASES',
  '$JS.API.STREAM.INFO.KV_WORKERS',
  '$KV.LEASES.>',
  '$KV.WORKERS.>',
  ...durables.flatMap((d) => useOfConsumer('JOBS', d)),
];

/**
 * The dispatcher owns the streams: it makes them, counts them and reads every lease. Whoever may not answer when the
 * broker asks whether it still follows (flow control) is sent nothing any more after some thousand messages.
 */
const owning = ['$JS.API.>', '$JS.ACK.>', '$JS.FC.>', '$KV.>'];

/** `allowResponses`: may reply once to a request, to the inbox that the request names. */
export type NatsPermissions = { publish: string[]; subscribe: string[]; allowResponses: boolean };

/** Publish and subscribe permissions of one service's bus user: it can speak only for itself. */
export const natsPermissions = (service: ServiceName): NatsPermissions => {
  const t = topology[service];
  const durables = [...new Set(t.works.map(jobDurable))];
  const knowsEvents = Object.keys(t.consumes).length > 0 || t.follows.length > 0 || t.emits.length > 0;
  const publish = [
    ...[...t.emits, ...t.orders, ...t.asks, ...t.says].map((d) => d.subject),
    '$JS.API.INFO',
    ...(knowsEvents ? ['$JS.API.STREAM.INFO.EVENTS'] : []),
    ...consuming(service),
    ...(t.follows.length > 0 ? following : []),
    ...(durables.length > 0 ? working(durables) : []),
    ...(service === 'transcription-dispatcher' ? owning : []),
  ];
  return {
    publish: [...new Set(publish)],
    subscribe: [
      ...new Set([
        `_INBOX.${service}.>`,
        ...(t.follows.length > 0 ? [eventFeed.subject] : []),
        ...[...t.serves, ...t.hears, ...t.listens].map((d) => d.subject),
      ]),
    ],
    allowResponses: t.serves.length > 0,
  };
};

/** Permissions of every bus user, for the server's configuration. */
export const natsUsers = (): Record<ServiceName, NatsPermissions> =>
  Object.fromEntries((Object.keys(topology) as ServiceName[]).map((s) => [s, natsPermissions(s)])) as Record<
    ServiceName,
    NatsPermissions
  >;

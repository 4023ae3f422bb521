import { jobDurable, type ServiceName } from './define.ts';
import { eventDurable, eventFeed, topology } from './topology.ts';

/** Permission to read missed events of the feed by sequence. Only the stream's owner may create its consumers. */
const feedPermissions = ['$JS.API.STREAM.MSG.GET.EVENTS'];

/** Permission to read the last event of a subject: a publisher checks whether the broker still has it. */
function lastEventPermission(subject: string): string {
  return `$JS.API.DIRECT.GET.EVENTS.${subject}`;
}

/**
 * The broker's advisory that a stream was created, as after its loss. Its own notice to pulls on the lost one can fail, and
 * a pull would then wait in vain for a minute or more.
 */
export const streamCreatedAdvisory = '$JS.EVENT.ADVISORY.STREAM.CREATED.*';

/**
 * The dispatcher owns the streams: it creates them, counts their messages and reads all leases. It must answer the
 * broker's flow control; otherwise the broker stops the delivery after some thousand messages.
 */
const streamOwnerPermissions = ['$JS.API.>', '$JS.ACK.>', '$JS.FC.>', '$KV.>'];

/** `allowResponses`: may reply once to the inbox of a request. */
export type NatsPermissions = { publish: string[]; subscribe: string[]; allowResponses: boolean };

/** Publish and subscribe permissions of one service's bus user; it cannot impersonate another service. */
export function natsPermissions(service: ServiceName): NatsPermissions {
  const role = topology[service];
  const durables = [...new Set(role.works.map(jobDurable))];
  const knowsEvents = Object.keys(role.consumes).length > 0 || role.follows.length > 0 || role.emits.length > 0;
  const publish = [
    ...[...role.emits, ...role.enqueues, ...role.requests, ...role.sendsLive].map((definition) => definition.subject),
    '$JS.API.INFO',
    ...(knowsEvents ? ['$JS.API.STREAM.INFO.EVENTS'] : []),
    ...role.emits.map(({ subject }) => lastEventPermission(subject)),
    ...consumerPermissions(service),
    ...(role.follows.length > 0 ? feedPermissions : []),
    ...(durables.length > 0 ? jobPermissions(durables) : []),
    ...(service === 'transcription-dispatcher' ? streamOwnerPermissions : []),
  ];
  return {
    publish: [...new Set(publish)],
    subscribe: [
      ...new Set([
        `_INBOX.${service}.>`,
        streamCreatedAdvisory,
        ...(role.follows.length > 0 ? [eventFeed.subject] : []),
        ...[...role.serves, ...role.receivesLive, ...role.subscribes].map((definition) => definition.subject),
      ]),
    ],
    allowResponses: role.serves.length > 0,
  };
}

/** Permissions of all bus users, for the broker's configuration. */
export function natsUsers(): Record<ServiceName, NatsPermissions> {
  return Object.fromEntries(
    (Object.keys(topology) as ServiceName[]).map((key) => [key, natsPermissions(key)]),
  ) as Record<ServiceName, NatsPermissions>;
}

/** Permissions of a service's event consumers; the service creates their durables itself. */
function consumerPermissions(service: ServiceName): string[] {
  return Object.entries(topology[service].consumes).flatMap(([name, event]) => {
    const durable = eventDurable(service, name);
    return [
      `$JS.API.CONSUMER.CREATE.EVENTS.${durable}.${event.subject}`,
      `$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.${durable}`,
      ...consumerUse('EVENTS', durable),
    ];
  });
}

function jobPermissions(durables: readonly string[]): string[] {
  return [
    '$JS.API.STREAM.INFO.JOBS',
    '$JS.API.STREAM.INFO.KV_LEASES',
    '$JS.API.STREAM.INFO.KV_WORKERS',
    '$KV.LEASES.>',
    '$KV.WORKERS.>',
    ...durables.flatMap((durable) => consumerUse('JOBS', durable)),
  ];
}

function consumerUse(stream: string, durable: string): string[] {
  return [
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
  ];
}

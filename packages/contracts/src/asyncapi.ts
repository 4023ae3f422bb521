import { z } from 'zod';
import { serviceNames } from './define.ts';
import { clientFrame, pushMessage } from './realtime.ts';
import { topology } from './topology.ts';

type Json = Record<string, unknown>;

type Channels = Record<string, Json>;
type Message = { subject: string; data: z.ZodType };

/** AsyncAPI 3.0 description of all messages on the bus and the push channel, with their senders and receivers. */
export function asyncApi(version: string): Json {
  const channels: Channels = {};
  const operations: Json = {};
  const addOperation = (service: string, action: 'send' | 'receive', { subject, data }: Message) => {
    const id = idOf(subject);
    channels[id] ??= { address: subject, messages: { [id]: { payload: schemaOf(data) } } };
    operations[`${action}_${idOf(service)}_${id}`] = { action, channel: { $ref: `#/channels/${id}` }, title: service };
  };
  for (const service of serviceNames) {
    const role = topology[service];
    const jobs = (list: typeof role.enqueues): Message[] =>
      list.map((job) => ({ subject: job.subject, data: job.input }));
    const rpcs = (list: typeof role.requests): Message[] =>
      list.map((rpc) => ({ subject: rpc.subject, data: rpc.request }));
    for (const message of [...role.emits, ...role.sendsLive, ...jobs(role.enqueues), ...rpcs(role.requests)])
      addOperation(service, 'send', message);
    const received = [...Object.values(role.consumes), ...role.follows, ...role.subscribes, ...role.receivesLive];
    for (const message of [...received, ...jobs(role.works), ...rpcs(role.serves)])
      addOperation(service, 'receive', message);
  }
  addOperation('realtime-gateway', 'send', { subject: '/api/ws', data: pushMessage });
  addOperation('realtime-gateway', 'receive', { subject: '/api/ws (client frames)', data: clientFrame });
  return {
    asyncapi: '3.0.0',
    info: { title: 'Overtone', version, description: 'Events, jobs, RPC requests, live values and the push channel.' },
    channels,
    operations,
  };
}

function idOf(subject: string): string {
  return subject.replaceAll(/[^A-Za-z0-9]/g, '_');
}

function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' }) as Json;
  return rest;
}

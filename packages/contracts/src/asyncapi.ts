import { z } from 'zod';
import { serviceNames } from './define.ts';
import { clientFrame, pushMessage } from './realtime.ts';
import { topology } from './topology.ts';

type Json = Record<string, unknown>;
const schemaOf = (schema: z.ZodType): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' }) as Json;
  return rest;
};
const idOf = (subject: string): string => subject.replaceAll(/[^A-Za-z0-9]/g, '_');

type Channels = Record<string, Json>;
type Told = { subject: string; data: z.ZodType };

/** AsyncAPI 3.0 description of everything that crosses the bus and the push channel: who says it and who hears it. */
export const asyncApi = (version: string): Json => {
  const channels: Channels = {};
  const operations: Json = {};
  const say = (service: string, action: 'send' | 'receive', { subject, data }: Told) => {
    const id = idOf(subject);
    channels[id] ??= { address: subject, messages: { [id]: { payload: schemaOf(data) } } };
    operations[`${action}_${idOf(service)}_${id}`] = { action, channel: { $ref: `#/channels/${id}` }, title: service };
  };
  for (const service of serviceNames) {
    const t = topology[service];
    const jobs = (list: typeof t.orders): Told[] => list.map((j) => ({ subject: j.subject, data: j.input }));
    const questions = (list: typeof t.asks): Told[] => list.map((r) => ({ subject: r.subject, data: r.request }));
    for (const d of [...t.emits, ...t.says, ...jobs(t.orders), ...questions(t.asks)]) say(service, 'send', d);
    const heard = [...Object.values(t.consumes), ...t.follows, ...t.listens, ...t.hears];
    for (const d of [...heard, ...jobs(t.works), ...questions(t.serves)]) say(service, 'receive', d);
  }
  say('realtime-gateway', 'send', { subject: '/api/ws', data: pushMessage });
  say('realtime-gateway', 'receive', { subject: '/api/ws (client frames)', data: clientFrame });
  return {
    asyncapi: '3.0.0',
    info: { title: 'Overtone', version, description: 'Events, jobs, questions, live values and the push channel.' },
    channels,
    operations,
  };
};

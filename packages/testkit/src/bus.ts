import type { NatsUser } from '@overtone/cli/servers';
import { jobDurable, natsUsers, serviceNames, type JobDef } from '@overtone/contracts';
import { AckPolicy, RetentionPolicy, type NatsConnection } from 'nats';

/** Every service's bus user with its permissions of production, and `test`, who may say and hear everything. */
export function busUsers(password: string): NatsUser[] {
  return [
    ...serviceNames.map((user) => ({ user, password, ...natsUsers()[user] })),
    { user: 'test', password, publish: ['>'], subscribe: ['>'] },
  ];
}

type Asker = { request: (def: { timeoutMs: number }, request: unknown) => Promise<unknown> };

/** A bus whose requests wait for their replies as long as a busy machine may take. */
export function patient<B extends object>(bus: B): B {
  const { request } = bus as unknown as Asker;
  const patiently: Asker['request'] = (def, asked) =>
    request({ ...def, timeoutMs: Math.max(def.timeoutMs, 30_000) }, asked);
  return { ...bus, request: patiently };
}

/** Creates what workers need of the dispatcher: the stream with a consumer for each durable, and the buckets. */
export async function provisionJobs(nc: NatsConnection, catalogue: Readonly<Record<string, JobDef>>): Promise<void> {
  const jsm = await nc.jetstreamManager();
  await jsm.streams.add({ name: 'JOBS', subjects: ['job.>'], retention: RetentionPolicy.Workqueue });
  const durables = new Map(
    Object.values(catalogue).map((job) => [jobDurable(job), `job.${job.queue}.${job.domain}.>`]),
  );
  for (const [durable_name, filter_subject] of durables)
    await jsm.consumers.add('JOBS', { durable_name, filter_subject, ack_policy: AckPolicy.Explicit });
  for (const bucket of ['LEASES', 'WORKERS']) await nc.jetstream().views.kv(bucket);
}

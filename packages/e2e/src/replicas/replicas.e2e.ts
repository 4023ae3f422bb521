import assert from 'node:assert/strict';
import type { PushMessage } from '@overtone/contracts';
import { signIn, type Client } from '../client.ts';
import type { ServedContext } from '../context.ts';
import { admin, type Instance } from '../instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from '../ledger.ts';
import { startLoad, type Load } from '../load.ts';
import { assertRecordedOnce, startAdminActions, type AdminActions } from '../admin-actions.ts';
import { isAlive } from '../processes.ts';
import { choose, type Check, type Choice, type Suite } from '../suite.ts';
import { waitUntilReady, createCopy, uploadWithRetry } from '../scripted.ts';
import { assertPublishedOnce } from '../published-events.ts';
import { services } from '../victims.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { openReconnectingClient, type ReconnectingClient } from './reconnecting-client.ts';
import { assertSyncRunsOnce } from './schedule.ts';
import { endReplica, supervisedReplica, startReplica, untilReady, type Replica } from './replica.ts';

type Service = (typeof services)[number];
const upstreamServices = services.filter((name) => name !== 'edge-gateway');
const withApi = upstreamServices.filter((name) => name !== 'transcription-worker');

/** One request for every service, and one that writes. */
function requestsOn(fileId: string) {
  return [
    { method: 'GET', path: '/api/users/me' },
    { method: 'GET', path: `/api/files/${fileId}?segment_limit=10` },
    { method: 'GET', path: `/api/files/${fileId}/content` },
    { method: 'GET', path: '/api/tasks' },
    { method: 'GET', path: '/api/search?q=report&search_mode=keyword' },
    { method: 'GET', path: '/api/admin/directory-sync' },
    { method: 'PUT', path: `/api/files/${fileId}`, body: { title: 'Written during a restart' } },
  ];
}

/** Their clients keep connections open, which a restart must move to the other replica. */
const alwaysRestarted: readonly Service[] = ['edge-gateway', 'realtime-gateway'];

/**
 * Two replicas of a service; one stops while the other continues, as in a rolling update.
 * @param choice the services that are restarted besides the gateways.
 */
export function replicas({ scripted, recordings }: ServedContext, choice: Choice): Suite {
  const others = services.filter((name) => !alwaysRestarted.includes(name));
  const restarted = [...alwaysRestarted, ...choose(others, choice)];
  let instance: Instance;
  const balancers = new Map<Service, Balancer>();
  const edges: Replica[] = [];
  const secondReplicas: Replica[] = [];
  let api: Client;
  let ledger: Ledger;
  let referenceId = '';
  let requests: Load | undefined;
  let adminActions: AdminActions | undefined;
  let pushClient: ReconnectingClient | undefined;
  let sending: Promise<void> = Promise.resolve();
  let isStopped = false;
  let number = 25_000;
  const sent: string[] = [];
  const balancer = (name: Service): Balancer | undefined => balancers.get(name);

  const startEdge = async (): Promise<Replica> => {
    const urls = withApi.map((name) => [`${name.replaceAll('-', '_').toUpperCase()}_URL`, balancer(name)?.url ?? '']);
    return startReplica(instance, 'edge-gateway', Object.fromEntries(urls) as Record<string, string>);
  };

  const start = async (): Promise<void> => {
    const fresh = await scripted.get();
    ({ instance } = fresh);
    await waitUntilReady(instance);
    for (const name of ['edge-gateway', ...withApi] as const) balancers.set(name, await startBalancer());
    for (const name of withApi) balancer(name)?.send([(await supervisedReplica(instance, name)).apiPort]);
    edges.push(await startEdge());
    balancer('edge-gateway')?.send(edges.map(({ apiPort }) => apiPort));
    const url = balancer('edge-gateway')?.url ?? '';
    api = await signIn(url, admin.email, admin.password);
    ledger = await openLedger(instance);
    await fresh.setEngine(0);
    referenceId = await uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, (number -= 1)));
    await allFinished(ledger, [referenceId], 240_000);
    await fresh.setEngine((2 * 3600) / recordings.brief.duration);
    pushClient = await openReconnectingClient(url, api.token);
    adminActions = startAdminActions(api, 250);
    requests = startLoad(api, requestsOn(referenceId));
    sending = send();
  };

  /** Keeps three recordings in processing. */
  const send = async (): Promise<void> => {
    while (!isStopped) {
      if ((await ledger.unfinished(sent)).length < 3) {
        const { status, body, text } = await api.upload(
          await createCopy(recordings.brief.path, recordings.folder, (number -= 1)),
        );
        assert.equal(status, 201, text);
        sent.push(body.uuid);
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };

  const restartBoth = async (name: Service): Promise<void> => {
    const first = await supervisedReplica(instance, name);
    const second = await startReplica(instance, name);
    secondReplicas.push(second);
    balancer(name)?.send([first.apiPort, second.apiPort]);
    await endReplica(`the first ${name}`, first, () => balancer(name)?.send([second.apiPort]));
    await untilReady(`the restarted ${name}`, first.internalPort);
    balancer(name)?.send([first.apiPort, second.apiPort]);
    await endReplica(`the second ${name}`, second, () => balancer(name)?.send([first.apiPort]));
  };

  const restartBothEdges = async (): Promise<void> => {
    for (let times = 0; times < 2; times++) {
      const [first] = edges;
      if (!first) throw new Error('no edge');
      const second = await startEdge();
      edges.push(second);
      balancer('edge-gateway')?.send([first.apiPort, second.apiPort]);
      await endReplica('the first edge-gateway', first, () => {
        edges.shift();
        balancer('edge-gateway')?.send([second.apiPort]);
      });
    }
  };

  const rollingCheck = (name: Service): Check => ({
    rule: `${name}: with two replicas, either one can stop without a lost request`,
    limitMs: 900_000,
    run: async (log) => {
      const before = requests?.requestCount ?? 0;
      await (name === 'edge-gateway' ? restartBothEdges() : restartBoth(name));
      log(`${(requests?.requestCount ?? 0) - before} requests during the restarts`);
      assert.deepEqual(requests?.failures, []);
    },
  });

  return {
    name: 'Two replicas of every service',
    checks: [
      { rule: 'an undisturbed recording is finished', limitMs: 400_000, run: start },
      ...restarted.map(rollingCheck),
      {
        rule: 'a due sync run is made once when several replicas check the schedule concurrently',
        limitMs: 400_000,
        run: async () => {
          const second = await startReplica(instance, 'directory-sync');
          secondReplicas.push(second);
          await assertSyncRunsOnce(instance, api);
          await endReplica('the second directory-sync', second, () => {});
        },
      },
      {
        rule: 'no job is lost or done twice, and every event is published once',
        limitMs: 600_000,
        run: async (log) => {
          isStopped = true;
          await sending;
          await adminActions?.stop();
          await requests?.stop();
          assert.deepEqual(requests?.failures, []);
          const seconds = await allFinished(ledger, sent, 300_000);
          log(
            `${requests?.requestCount ?? 0} requests, ${sent.length} recordings finished ${seconds.toFixed(1)} s after the last`,
          );
          await ledger.assertOnce(sent, referenceId);
          await assertIndexed(api, ledger, sent, referenceId);
          const requeuedSql = `
            select count(*) filter (where failures > 0)::int as failed, count(*) filter (where infra_requeues > 0)::int as lost
            from task where file_id = any($1::uuid[])`;
          const [requeued] = await ledger.ask.dispatcher(requeuedSql, [sent]);
          assert.equal(requeued?.['failed'], 0, 'a requeued job counts as a failure');
          // On a busy machine a worker may send its sign of life too late once.
          assert.ok(
            Number(requeued?.['lost']) <= 1,
            `${String(requeued?.['lost'])} jobs of stopped workers count as lost`,
          );
          assert.deepEqual(
            adminActions?.actions.filter(({ isAcknowledged }) => !isAcknowledged),
            [],
            'an action of an administrator failed',
          );
          log(await assertRecordedOnce(ledger.ask.identity, adminActions?.actions ?? []));
          log(await assertPublishedOnce(instance, sent, referenceId));
        },
      },
      {
        rule: 'sockets are closed with 1012, reconnect, and receive every event once',
        limitMs: 240_000,
        run: async (log) => {
          const last = sent.at(-1);
          const isLast = (message: PushMessage): boolean =>
            message.type === 'file_updated' && message.data.file_id === last && message.data.status === 'completed';
          const received = (await pushClient?.receivedUntil(isLast)) ?? [];
          const reconnects = pushClient?.reconnects() ?? 0;
          assert.ok(reconnects >= 2, `only ${reconnects} reconnects`);
          const welcomes = received.flatMap((message) =>
            message.type === 'connection_established' ? [message.data.resumed] : [],
          );
          assert.deepEqual(welcomes.slice(1), Array(reconnects).fill(true), 'a reconnected socket missed a message');
          const sequenced = received.filter((message) => 'seq' in message);
          assert.equal(new Set(sequenced.map(({ seq }) => seq)).size, sequenced.length, 'a message was received twice');
          for (const id of sent) {
            const created = received.filter(
              (message) => message.type === 'file_created' && message.data.file_id === id,
            );
            assert.equal(created.length, 1, `${created.length} file_created messages of ${id}`);
          }
          log(`${reconnects} reconnects, ${sequenced.length} sequenced messages received`);
          await pushClient?.stop();
        },
      },
    ],
    close: async () => {
      isStopped = true;
      await Promise.allSettled([sending, adminActions?.stop(), requests?.stop()]);
      for (const { pid } of [...edges, ...secondReplicas]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await Promise.all([...balancers.values()].map((one) => one.close()));
      await scripted.resetEngine();
      await ledger?.close();
    },
  };
}

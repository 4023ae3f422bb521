import assert from 'node:assert/strict';
import type { PushMessage } from '@overtone/contracts';
import { signIn, type Client } from '../client.ts';
import type { ServedContext } from '../context.ts';
import { admin, type Instance } from '../instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from '../ledger.ts';
import { load, type Load } from '../load.ts';
import { assertRecordedOnce, operate, type Operator } from '../operator.ts';
import { isAlive } from '../processes.ts';
import type { Check, Suite } from '../runner.ts';
import { allReady, copyOf, insist } from '../scripted.ts';
import { assertToldOnce } from '../told.ts';
import { services } from '../victims.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { listenFaithfully, type FaithfulListener } from './faithful-listener.ts';
import { assertSweptOnce } from './schedule.ts';
import { endReplica, keptReplica, startReplica, untilReady, type Replica } from './replica.ts';

type Service = (typeof services)[number];
const behindTheEdge = services.filter((name) => name !== 'edge-gateway');
const withApi = behindTheEdge.filter((name) => name !== 'transcription-worker');

/** One request for every service, and one that writes. */
const requestsOn = (fileId: string) => [
  { method: 'GET', path: '/api/users/me' },
  { method: 'GET', path: `/api/files/${fileId}?segment_limit=10` },
  { method: 'GET', path: `/api/files/${fileId}/content` },
  { method: 'GET', path: '/api/tasks' },
  { method: 'GET', path: '/api/search?q=report&search_mode=keyword' },
  { method: 'GET', path: '/api/admin/directory-sync' },
  { method: 'PUT', path: `/api/files/${fileId}`, body: { title: 'Written during a restart' } },
];

/** Two replicas of every service; one goes while the other works on, as in a rolling update. */
export const replicas = ({ scripted, recordings }: ServedContext): Suite => {
  let instance: Instance;
  const balancers = new Map<Service, Balancer>();
  const edges: Replica[] = [];
  const strays: Replica[] = [];
  let api: Client;
  let ledger: Ledger;
  let model = '';
  let requests: Load | undefined;
  let operator: Operator | undefined;
  let listener: FaithfulListener | undefined;
  let sending: Promise<void> = Promise.resolve();
  let over = false;
  let number = 25_000;
  const sent: string[] = [];
  const balancer = (name: Service): Balancer | undefined => balancers.get(name);

  const startEdge = async (): Promise<Replica> => {
    const urls = withApi.map((name) => [`${name.replaceAll('-', '_').toUpperCase()}_URL`, balancer(name)?.url ?? '']);
    return startReplica(instance, 'edge-gateway', Object.fromEntries(urls) as Record<string, string>);
  };

  const begin = async (): Promise<void> => {
    const fresh = await scripted.get();
    ({ instance } = fresh);
    await allReady(instance);
    for (const name of ['edge-gateway', ...withApi] as const) balancers.set(name, await startBalancer());
    for (const name of withApi) balancer(name)?.send([(await keptReplica(instance, name)).apiPort]);
    edges.push(await startEdge());
    balancer('edge-gateway')?.send(edges.map((e) => e.apiPort));
    const url = balancer('edge-gateway')?.url ?? '';
    api = await signIn(url, admin.email, admin.password);
    ledger = await openLedger(instance);
    await fresh.pretend(0);
    model = await insist(api, await copyOf(recordings.brief.path, recordings.folder, (number -= 1)));
    await allFinished(ledger, [model], 240_000);
    await fresh.pretend((2 * 3600) / recordings.brief.duration);
    listener = await listenFaithfully(url, api.token);
    operator = operate(api, 250);
    requests = load(api, requestsOn(model));
    sending = send();
  };

  /** Keeps a few recordings under way. */
  const send = async (): Promise<void> => {
    while (!over) {
      if ((await ledger.unfinished(sent)).length < 3) {
        const { status, body, text } = await api.upload(
          await copyOf(recordings.brief.path, recordings.folder, (number -= 1)),
        );
        assert.equal(status, 201, text);
        sent.push(body.uuid);
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };

  const both = async (name: Service): Promise<void> => {
    const first = await keptReplica(instance, name);
    const second = await startReplica(instance, name);
    strays.push(second);
    balancer(name)?.send([first.apiPort, second.apiPort]);
    await endReplica(`the first ${name}`, first, () => balancer(name)?.send([second.apiPort]));
    await untilReady(`the ${name} that was started again`, first.internalPort);
    balancer(name)?.send([first.apiPort, second.apiPort]);
    await endReplica(`the second ${name}`, second, () => balancer(name)?.send([first.apiPort]));
  };

  const bothEdges = async (): Promise<void> => {
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

  const rolled = (name: Service): Check => ({
    rule: `${name}: a second process works beside the first, and either goes without a request being lost`,
    limitMs: 900_000,
    run: async (say) => {
      const before = requests?.asked ?? 0;
      await (name === 'edge-gateway' ? bothEdges() : both(name));
      say(`${(requests?.asked ?? 0) - before} requests meanwhile`);
      assert.deepEqual(requests?.failures, []);
    },
  });

  return {
    name: 'Two replicas of every service',
    checks: [
      { rule: 'a recording that nobody disturbs is finished', vital: true, limitMs: 400_000, run: begin },
      ...services.map(rolled),
      {
        rule: 'a sweep that is due is run once, however many replicas look at its schedule at once',
        limitMs: 400_000,
        run: async () => {
          const second = await startReplica(instance, 'directory-sync');
          strays.push(second);
          await assertSweptOnce(instance, api);
          await endReplica('the second directory-sync', second, () => {});
        },
      },
      {
        rule: 'no job was lost and none was done twice, and everybody was told of everything once',
        limitMs: 600_000,
        run: async (say) => {
          over = true;
          await sending;
          await operator?.stop();
          await requests?.stop();
          assert.deepEqual(requests?.failures, []);
          const after = await allFinished(ledger, sent, 300_000);
          say(
            `${requests?.asked ?? 0} requests, ${sent.length} recordings finished ${after.toFixed(1)} s after the last`,
          );
          await ledger.assertOnce(sent, model);
          await assertIndexed(api, ledger, sent, model);
          const given =
            'select count(*)::int as n from task where file_id = any($1::uuid[]) and (failures > 0 or infra_requeues > 0)';
          assert.deepEqual(await ledger.ask.dispatcher(given, [sent]), [{ n: 0 }], 'a job given back is an attempt');
          assert.deepEqual(
            operator?.deeds.filter((d) => !d.done),
            [],
            'an administrator was refused',
          );
          say(await assertRecordedOnce(ledger.ask.identity, operator?.deeds ?? []));
          say(await assertToldOnce(instance, sent, model));
        },
      },
      {
        rule: 'sockets were told to come back, came back, and heard everything once',
        limitMs: 240_000,
        run: async (say) => {
          const last = sent.at(-1);
          const isLast = (m: PushMessage): boolean =>
            m.type === 'file_updated' && m.data.file_id === last && m.data.status === 'completed';
          const heard = (await listener?.heardUntil(isLast)) ?? [];
          const returns = listener?.returns() ?? 0;
          assert.ok(returns >= 2, `only told to come back ${returns} times`);
          const welcomes = heard.flatMap((m) => (m.type === 'connection_established' ? [m.data.resumed] : []));
          assert.deepEqual(
            welcomes.slice(1),
            Array(returns).fill(true),
            'a socket that came back had missed something',
          );
          const facts = heard.filter((m) => 'seq' in m);
          assert.equal(new Set(facts.map((m) => m.seq)).size, facts.length, 'a fact was heard twice');
          for (const id of sent) {
            const made = heard.filter((m) => m.type === 'file_created' && m.data.file_id === id);
            assert.equal(made.length, 1, `${id} was announced ${made.length} times`);
          }
          say(`told to come back ${returns} times, ${facts.length} facts heard`);
          await listener?.stop();
        },
      },
    ],
    close: async () => {
      over = true;
      await Promise.allSettled([sending, operator?.stop(), requests?.stop()]);
      for (const { pid } of [...edges, ...strays]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await Promise.all([...balancers.values()].map((b) => b.close()));
      await scripted.calm();
      await ledger?.close();
    },
  };
};

import { randomUUID } from 'node:crypto';
import type { AnswerOf, dispatcherRoutes } from '@overtone/contracts';
import { json, type Context, type MockRoute } from './mock-kit.ts';

type Routes = typeof dispatcherRoutes;
type Overview = AnswerOf<Routes['queues']>;
type Timeline = AnswerOf<Routes['fileTimeline']>;
type Task = AnswerOf<Routes['listTasks']>['items'][number];

const at = (secondsAgo: number): string => new Date(Date.now() - secondsAgo * 1000).toISOString();
const empty = { depth: 0, reserved: 0, orphaned: 0, oldest_unacked_seconds: 0, retrying: 0, dead: 0, paused: null };
const queues: Overview['queues'] = [
  { ...empty, queue: 'gpu', depth: 42, reserved: 3, orphaned: 1, oldest_unacked_seconds: 754, retrying: 2, dead: 3 },
  { ...empty, queue: 'cpu', depth: 3, reserved: 8, oldest_unacked_seconds: 4.2, dead: 1 },
  { ...empty, queue: 'utility' },
  { ...empty, queue: 'embedding', depth: 1, reserved: 1, oldest_unacked_seconds: 1 },
];
const engine = { provider: 'pocketsphinx', model: 'en-us', timing: 'engine' } as const;
const workers = (): Overview['workers'] => [
  {
    id: 'host-a.4711.0',
    service: 'transcription-worker',
    pulls: ['cpu-media', 'gpu-transcription', 'cpu-transcription'],
    engine,
    note: null,
    state: 'online',
    since: at(7_800),
    last_seen: at(0),
    doing: [
      {
        task_uuid: randomUUID(),
        stage: 'transcribe',
        media_file_id: randomUUID(),
        file_title: 'Quarterly meeting of the board, second part',
        progress: 0.42,
        since: at(75),
      },
    ],
  },
  {
    id: 'host-b.99.0',
    service: 'search-indexer',
    pulls: ['embedding-search'],
    engine: null,
    note: null,
    state: 'offline',
    since: at(9_000),
    last_seen: at(130),
    doing: [],
  },
];

const task = (over: Partial<Task>): Task => ({
  uuid: randomUUID(),
  task_type: 'transcribe',
  status: 'completed',
  queue: 'gpu',
  media_file_id: randomUUID(),
  file_title: 'Interview with the architect',
  user_id: randomUUID(),
  worker: 'host-a.4711.0',
  attempt: 1,
  progress: 1,
  created_at: at(400),
  started_at: at(390),
  completed_at: at(380),
  next_attempt_at: null,
  error_code: null,
  error_message: null,
  dead: false,
  ...over,
});
const failed = { status: 'failed', dead: true, attempt: 3, progress: 0 } as const;
const crashed = { ...failed, error_code: 'engine_crashed', error_message: 'The speech engine ended without a word' };
const dead: Task[] = [
  task(crashed),
  task({ ...crashed, file_title: 'Lecture 12: continuity' }),
  task({
    ...failed,
    queue: 'cpu',
    task_type: 'prepare',
    error_code: 'media_unreadable',
    error_message: 'Not a recording',
  }),
];
const tasks: Task[] = [...dead, task({ status: 'in_progress', progress: 0.4, completed_at: null }), task({})];

const kinds = (): AnswerOf<Routes['deadTasks']>['kinds'] => [
  {
    queue: 'gpu',
    task_type: 'transcribe',
    error_code: 'engine_crashed',
    count: 2,
    newest_at: at(60),
    oldest_at: at(900),
  },
  {
    queue: 'cpu',
    task_type: 'prepare',
    error_code: 'media_unreadable',
    count: 1,
    newest_at: at(999),
    oldest_at: at(999),
  },
];
const ofKind = ({ url }: Context): Task[] => {
  const type = url.searchParams.get('task_type');
  return dead.filter((t) => type === null || t.task_type === type);
};
const tries: Timeline['stages'][number]['tries'] = [
  {
    number: 1,
    worker: 'host-a.4711.0',
    started_at: at(390),
    ended_at: at(386),
    outcome: 'failed',
    error_code: 'engine_crashed',
    error_message: 'The speech engine ended without a word',
  },
  {
    number: 2,
    worker: 'host-b.99.0',
    started_at: at(380),
    ended_at: at(365),
    outcome: 'lost',
    error_code: null,
    error_message: null,
  },
  {
    number: 3,
    worker: 'host-a.4711.0',
    started_at: at(60),
    ended_at: at(38),
    outcome: 'completed',
    error_code: null,
    error_message: null,
  },
];

/** The stages of a run with several attempts. */
export const mockStages = (at_: number, names: readonly Timeline['stages'][number]['stage'][]): Timeline['stages'] =>
  names.map((stage, i) => ({
    stage,
    status: i < at_ ? 'completed' : i === at_ ? 'running' : 'pending',
    started_at: i <= at_ ? at(400) : null,
    completed_at: i < at_ ? at(38 - i) : null,
    seconds: i < at_ ? 1.5 * (i + 1) : null,
    engine_seconds: i < at_ ? i + 1 : null,
    attempts: stage === 'transcribe' ? 2 : 1,
    tries:
      i > at_
        ? []
        : stage === 'transcribe'
          ? tries
          : [
              {
                number: 1,
                worker: 'host-a.4711.0',
                started_at: at(i === 0 ? 398 : 38 - 3 * i),
                ended_at: i < at_ ? at(i === 0 ? 391 : 36 - 3 * i) : null,
                outcome: i < at_ ? 'completed' : 'running',
                error_code: null,
                error_message: null,
              },
            ],
  }));

const queueOf = (context: Context) => queues.find((q) => q.queue === context.parts[3]);

export const operationsMock: readonly MockRoute[] = [
  ['GET', /^\/api\/admin\/queues$/, (): Overview => ({ queues, workers: workers(), at: at(0) })],
  [
    'POST',
    /^\/api\/admin\/queues\/\w+\/pause$/,
    (context) => {
      const paused = {
        reason: json<{ reason: string }>(context).reason,
        by: randomUUID(),
        by_name: 'Ada Admin',
        at: at(0),
      };
      Object.assign(queueOf(context) ?? {}, { paused });
      return paused;
    },
  ],
  [
    'POST',
    /^\/api\/admin\/queues\/\w+\/resume$/,
    (context) => {
      Object.assign(queueOf(context) ?? {}, { paused: null });
      return { resumed: true };
    },
  ],
  [
    'GET',
    /^\/api\/tasks\/dead$/,
    (context): AnswerOf<Routes['deadTasks']> => {
      const items = ofKind(context);
      return { items, total: items.length, page: 1, page_size: 10, kinds: kinds() };
    },
  ],
  ['POST', /^\/api\/tasks\/dead\/retry$/, () => ({ retried: 2, refused: [], remaining: 0 })],
  ['POST', /^\/api\/tasks\/dead\/discard$/, () => ({ discarded: 2 })],
  ['POST', /^\/api\/tasks\/[^/]+\/retry$/, () => dead[0]],
  ['GET', /^\/api\/tasks$/, () => ({ items: tasks, total: tasks.length, page: 1, page_size: 20 })],
  [
    'GET',
    /^\/api\/tasks\/[^/]+$/,
    (context) => ({ ...(tasks.find((t) => t.uuid === context.parts[2]) ?? tasks[0]), tries }),
  ],
  [
    'GET',
    /^\/api\/admin\/engines$/,
    () => ({
      workers: [
        {
          id: 'worker-1',
          service: 'transcription-worker',
          pulls: ['cpu-media', 'gpu-transcription'],
          engine: { provider: 'pocketsphinx', model: 'en-us', timing: 'engine' },
          note: null,
          gpu: {
            devices: [{ index: 0, uuid: 'GPU-1', name: 'NVIDIA A10', memory_mib: 23_028, capability: 8.6 }],
            note: null,
            concurrency: 1,
            pool: 'prefork',
            tuning: null,
          },
        },
      ],
    }),
  ],
  ['GET', /^\/api\/admin\/gpu-profiles$/, () => ({ enabled: false, message: 'off', summary: [], recent: [] })],
];

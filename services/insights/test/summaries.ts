import type { SummaryContent, SummaryObject, SummaryStatus } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import type { LanguageModelServer, ModelCall } from '@overtone/testkit/language-model';
import { serveRecordings, speech, type Recording } from './recordings.ts';
import { newUser, type startWorld, type TestUser } from './world.ts';

type World = Awaited<ReturnType<typeof startWorld>>;
export type Body = Record<string, unknown>;

/** The numbered lines of a request, without its boundaries. */
export function linesOf({ prompt }: Pick<ModelCall, 'prompt'>): { number: number; text: string }[] {
  return [...prompt.matchAll(/^\[(\d+)\] (.*)$/gm)].map(([, number, text = '']) => ({ number: Number(number), text }));
}

export function isCombining({ system }: Pick<ModelCall, 'system'>): boolean {
  return system.includes('numbered notes');
}

export const nothing = { brief: [], key_decisions: [], action_items: [], topics: [], follow_ups: [] };

/** Answers like a model: a statement about the first line, and a topic over all of them. */
export function answerShortly(call: ModelCall): object {
  const lines = linesOf(call);
  const numbers = lines.map(({ number }) => number);
  const [first] = lines;
  return {
    ...nothing,
    brief: [{ text: `About: ${first?.text ?? ''}`.slice(0, 60), n: numbers.slice(0, 1) }],
    topics: [{ title: 'Talk', n: [numbers[0], numbers.at(-1)] }],
  };
}

/** Speech with a passage of about thirteen words every five seconds. */
export function speechOf(hours: number) {
  return speech(
    hours * 720,
    (i) => `we agreed that item ${i} of the plan is moved to the next quarter, Anna will report`,
  );
}

export function sections(calls: readonly ModelCall[]): ModelCall[] {
  return calls.filter((call) => !isCombining(call));
}

export function numbersIn(calls: readonly ModelCall[]): number[] {
  return sections(calls)
    .flatMap((call) => linesOf(call).map(({ number }) => number))
    .toSorted((left, right) => left - right);
}

/** What people do with summaries, and a system-wide language model. */
export function createSummaryClient(world: World) {
  const recordings = serveRecordings(world.nats);
  const path = (recording: Recording, verb: string) => `/api/files/${recording.fileId}/${verb}`;
  const status = async (recording: Recording, person: TestUser = recording.owner): Promise<SummaryStatus> =>
    (await world.call<SummaryStatus>(person, 'GET', path(recording, 'summary-status'))).body;
  return {
    recordings,
    path,
    status,
    order: (recording: Recording, body: Body = {}, person: TestUser = recording.owner) =>
      world.call(person, 'POST', path(recording, 'summarize'), body),
    read: async (recording: Recording, query = ''): Promise<SummaryObject> =>
      (await world.call<SummaryObject>(recording.owner, 'GET', path(recording, `summary${query}`))).body,
    until: (recording: Recording, isWanted: (status: SummaryStatus) => boolean) =>
      waitFor(async () => {
        const current = await status(recording);
        return isWanted(current) ? current : undefined;
      }),
    /** @param person whose own model it is; by default everyone's. */
    useModel: async (server: LanguageModelServer, more: Body = {}, person?: TestUser): Promise<void> => {
      const admin = newUser('super_admin');
      if (person) await world.call(admin, 'PUT', '/api/admin/llm-settings', { own_providers: true });
      const [caller, path] = person ? [person, '/api/llm-settings'] : [admin, '/api/admin/llm-settings'];
      const { status: created, body } = await world.call(caller, 'POST', path, {
        name: 'Model',
        kind: 'openai-compatible',
        base_url: server.urls.openai,
        model: 'scripted-model',
        context_tokens: null,
        max_parallel: 16,
        timeout_seconds: 3_600,
        api_key: null,
        ...more,
      });
      if (created !== 201) throw new Error(JSON.stringify(body));
    },
    /** Everything a summary shows as text. */
    textOf: ({ brief, key_decisions, action_items, topics, follow_ups }: SummaryContent): string =>
      JSON.stringify([brief, key_decisions, action_items, topics, follow_ups]),
  };
}

import assert from 'node:assert/strict';
import type { Instance } from './instance.ts';
import { openBusAs } from './service-access.ts';

/** A fact as it went to everybody who listens. */
type Fact = { id: string; subject: string; fileId: string; about: string };
type Body = { fileId?: string; stage?: string; transcriptVersion?: number; provisional?: boolean };

const stored = 'evt.media.transcript.stored.v1';
/** What happens to a file once, however often something had to be tried. */
const onceOfFile = new Set([
  'evt.media.file.uploaded.v1',
  stored,
  'evt.transcription.run.opened.v1',
  'evt.transcription.run.completed.v1',
  'evt.transcription.stage.completed.v1',
]);

/**
 * What tells a fact from others of its kind. The first words of a file may be overtaken by the whole transcript, which
 * is told again, as the same version, to a dispatcher that has not heard.
 */
const aboutOf = ({ stage, transcriptVersion, provisional }: Body): string =>
  stage ?? (provisional === undefined ? '' : provisional ? 'first words' : `version ${transcriptVersion ?? 0}`);

/** Every fact that stands on the bus, in its order. */
const factsOf = async (instance: Instance): Promise<Fact[]> => {
  const connection = await openBusAs(instance, 'transcription-dispatcher');
  try {
    const consumer = await connection.jetstream().consumers.get('EVENTS');
    const { num_pending: count } = await consumer.info();
    const facts: Fact[] = [];
    if (count === 0) return facts;
    for await (const message of await consumer.consume()) {
      const body = message.json<Body>();
      const id = message.headers?.get('Nats-Msg-Id') ?? '';
      facts.push({ id, subject: message.subject, fileId: body.fileId ?? '', about: aboutOf(body) });
      if (message.info.pending === 0) break;
    }
    return facts;
  } finally {
    await connection.close();
  }
};

const counted = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

const lifeOf = (facts: readonly Fact[], id: string): Record<string, number> => {
  const own = facts.filter((f) => f.fileId === id && onceOfFile.has(f.subject));
  const whole = new Set(own.filter((f) => f.subject === stored && f.about !== 'first words').map((f) => f.about));
  const others = own.filter((f) => f.subject !== stored).map((f) => `${f.subject} ${f.about}`);
  return Object.fromEntries(counted([...others, ...[...whole].map(() => `${stored} whole`)]));
};

/** No message is on the bus twice, and each file's listeners were told as often as those of one nobody disturbed. */
export const assertToldOnce = async (instance: Instance, ids: readonly string[], model: string): Promise<string> => {
  const facts = await factsOf(instance);
  const twice = [...counted(facts.map((f) => f.id))].filter(([, times]) => times > 1);
  assert.deepEqual(twice, [], 'a message is on the bus twice');
  const expected = lifeOf(facts, model);
  assert.ok(
    Object.keys(expected).length > onceOfFile.size,
    `the model's facts are missing: ${JSON.stringify(expected)}`,
  );
  for (const id of ids) assert.deepEqual(lifeOf(facts, id), expected, `what was told of ${id}`);
  return `${facts.length} facts on the bus, none twice`;
};

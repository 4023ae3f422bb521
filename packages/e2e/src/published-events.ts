import assert from 'node:assert/strict';
import type { Instance } from './instance.ts';
import { openBusAs } from './service-access.ts';

/** An event in the stream of the bus. `qualifier` distinguishes events of one file and subject. */
type PublishedEvent = { id: string; subject: string; fileId: string; qualifier: string };
type Body = { fileId?: string; stage?: string; transcriptVersion?: number; provisional?: boolean };

const storedSubject = 'evt.media.transcript.stored.v1';
/** Events that are published once for a file, independent of the number of attempts. */
const oncePerFile = new Set([
  'evt.media.file.uploaded.v1',
  storedSubject,
  'evt.transcription.run.opened.v1',
  'evt.transcription.run.completed.v1',
  'evt.transcription.stage.completed.v1',
]);

/** Asserts that no message id is in the stream twice, and that each file has the same events as the reference file. */
export async function assertPublishedOnce(
  instance: Instance,
  ids: readonly string[],
  referenceId: string,
): Promise<string> {
  const events = await readEvents(instance);
  const duplicates = [...countByName(events.map(({ id }) => id))].filter(([, times]) => times > 1);
  assert.deepEqual(duplicates, [], 'a message is in the stream twice');
  const expected = countEventsOf(events, referenceId);
  assert.ok(
    Object.keys(expected).length > oncePerFile.size,
    `events of the reference file are missing: ${JSON.stringify(expected)}`,
  );
  for (const id of ids) assert.deepEqual(countEventsOf(events, id), expected, `events of ${id}`);
  return `${events.length} events in the stream, none twice`;
}

/** All events in the stream, in order. */
async function readEvents(instance: Instance): Promise<PublishedEvent[]> {
  const connection = await openBusAs(instance, 'transcription-dispatcher');
  try {
    const consumer = await connection.jetstream().consumers.get('EVENTS');
    const { num_pending: count } = await consumer.info();
    const events: PublishedEvent[] = [];
    if (count === 0) return events;
    for await (const message of await consumer.consume()) {
      const body = message.json<Body>();
      const id = message.headers?.get('Nats-Msg-Id') ?? '';
      events.push({ id, subject: message.subject, fileId: body.fileId ?? '', qualifier: qualifierOf(body) });
      if (message.info.pending === 0) break;
    }
    return events;
  } finally {
    await connection.close();
  }
}

function countByName(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The number of events of a file by subject and qualifier; republished full transcripts count once. */
function countEventsOf(events: readonly PublishedEvent[], id: string): Record<string, number> {
  const ofFile = events.filter(({ fileId, subject }) => fileId === id && oncePerFile.has(subject));
  const versions = new Set(
    ofFile
      .filter(({ subject, qualifier }) => subject === storedSubject && qualifier !== 'provisional')
      .map(({ qualifier }) => qualifier),
  );
  const others = ofFile
    .filter(({ subject }) => subject !== storedSubject)
    .map(({ subject, qualifier }) => `${subject} ${qualifier}`);
  return Object.fromEntries(countByName([...others, ...[...versions].map(() => `${storedSubject} full`)]));
}

/**
 * The full transcript can be published before the provisional one. It is then published again with the same version,
 * for a dispatcher that has not received it.
 */
function qualifierOf({ stage, transcriptVersion, provisional }: Body): string {
  return stage ?? (provisional === undefined ? '' : provisional ? 'provisional' : `version ${transcriptVersion ?? 0}`);
}

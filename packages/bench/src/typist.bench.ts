import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileDetail } from '@overtone/contracts';
import { launchBrowser, openPage, signInByHand } from '@overtone/e2e/browser';
import { signIn, type Client } from '@overtone/e2e/client';
import { admin, type Instance } from '@overtone/e2e/instance';
import { convert } from '@overtone/e2e/recordings';
import { recordLong, type Utterance } from '@overtone/testkit/recordings';
import { quantile, type Bench, type Row } from './bench.ts';
import { needTools } from './tools.ts';
import { createKeys, type Keys } from './typist.keys.ts';
import { correctInOtranscribe, isRight, linesIn, openOtranscribe, servePages } from './typist.otranscribe.ts';
import { correctInOvertone } from './typist.overtone.ts';
import { passagesOf, plantErrors, textOf, type Passage, type PlantedError } from './typist.transcript.ts';

const minutes = 20;
/** Skilled typing is about 200 strokes a minute; the rest of a typist's time is listening. */
const secondsPerStroke = 0.3;
/** The step by which keys move the time of a passage. */
const nudge = 0.1;
const soundAtOnce = ['--autoplay-policy=no-user-gesture-required'];

/** All real speech of the distribution whose words are known: 35 seconds of two people, which are repeated. */
const testData = '/usr/share/pocketsphinx/test/data';
const speech: readonly Utterance[] = [
  austen(
    '0870',
    'and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them',
  ),
  card('001', 'ten of clubs'),
  austen('0880', 'he was not an ill disposed young man'),
  card('002', 'four queen of clubs'),
  austen('0890', 'unless to be rather cold hearted and rather selfish is to be ill disposed'),
  card('003', 'seven of clubs'),
  austen('0920', 'had he married a more amiable woman he might have been made still more respectable than he was'),
  card('004', 'five five'),
  austen('0930', 'he might even have been made amiable himself'),
  card('005', 'eight of spades four of clubs seven of hearts'),
];

function austen(part: string, text: string): Utterance {
  return { file: `${testData}/librivox/sense_and_sensibility_01_austen_64kb-${part}.wav`, voice: 'Reader', text };
}

function card(part: string, text: string): Utterance {
  return { file: `${testData}/cards/${part}.wav`, voice: 'Player', text };
}

/** A typist who has only a keyboard, and knows where the errors of a transcript are. */
export const typistBench: Bench = {
  name: 'typist',
  about: 'sixty errors in twenty minutes of speech, corrected by keyboard only, beside the editor of oTranscribe',
  run: async function* ({ another, folder }) {
    needTools(['sox', 'ffmpeg']);
    const recording = await recordLong(join(folder, 'speech.wav'), speech, minutes * 60);
    const sound = await convert(recording.path, join(folder, 'speech.ogg'));
    // The last turn is cut at the end of the recording.
    const right = passagesOf(recording.turns.filter(({ end }) => end < recording.duration));
    const session: Session = { folder, sound, right, ...plantErrors(right) };
    const engine = join(folder, 'engine.json');
    await writeFile(engine, JSON.stringify({ secondsPerHour: 0 }));
    const running = await another({ OT_SCRIPTED_ENGINE: engine });
    const ours = await measureOvertone(running, session);
    await running.remove();
    const pages = process.env['OT_BENCH_OTRANSCRIBE'];
    const theirs = pages === undefined ? null : await measureOtranscribe(pages, { ...session, sound: recording.path });
    yield* rowsOf(session, ours, theirs);
  },
};

type Session = {
  readonly folder: string;
  readonly sound: string;
  readonly right: readonly Passage[];
  readonly given: readonly Passage[];
  readonly errors: readonly PlantedError[];
};
type Figures = Pick<Keys, 'counts' | 'times'> & { readonly isRight: boolean };

async function measureOvertone({ baseUrl }: Pick<Instance, 'baseUrl'>, session: Session): Promise<Figures> {
  const { folder, sound, right, given, errors } = session;
  const client = await signIn(baseUrl, admin.email, admin.password);
  const uuid = await storeRecording(client, sound);
  await importTranscript(client, uuid, given);
  const browser = await launchBrowser(soundAtOnce);
  try {
    const { page } = await openPage(browser, baseUrl, folder);
    await signInByHand(page);
    await page.goto(`/files/${uuid}`);
    await page.locator('[data-testid="transcript"][data-complete="true"] [data-w]').first().waitFor();
    const keys = await createKeys(page);
    const file = await client.file(uuid);
    await correctInOvertone(keys, { right, errors, speakers: file.speakers.map(nameOf) });
    return { ...keys, isRight: isStored(await client.file(uuid), right) };
  } finally {
    await browser.close();
  }
}

async function measureOtranscribe(pages: string, { folder, sound, right, given, errors }: Session): Promise<Figures> {
  const server = await servePages(pages);
  const browser = await launchBrowser(soundAtOnce);
  try {
    const { page } = await openPage(browser, server.address, folder);
    await openOtranscribe(page, { sound, given });
    const keys = await createKeys(page);
    await correctInOtranscribe(keys, right, errors);
    return { ...keys, isRight: isRight(await linesIn(page), right) };
  } finally {
    await browser.close();
    server.close();
  }
}

function* rowsOf({ errors }: Session, ours: Figures, theirs: Figures | null): Generator<Row> {
  const compare = (name: string, of: (figures: Figures) => number, show: (value: number) => string): Row => ({
    name: `typist: ${name}`,
    ours: show(of(ours)),
    ...(theirs && { peer: `${show(of(theirs))} (oTranscribe)`, ratio: of(ours) / of(theirs) }),
  });
  const strokesOf = ({ counts }: Figures): number => counts.sound + counts.caret + counts.text;
  const pageSecondsOf = ({ times }: Figures): number => times.reduce((sum, time) => sum + time, 0) / 1000;
  const seconds = (value: number): string => `${value.toFixed(1)} s`;
  yield {
    name: `typist: ${errors.length} errors corrected without the mouse, text as it should be`,
    ours: ours.isRight ? 'yes' : 'NO',
    peer:
      theirs === null ? 'not measured: name the built pages by OT_BENCH_OTRANSCRIBE' : theirs.isRight ? 'yes' : 'NO',
    goal: 'yes',
    met: ours.isRight,
  };
  yield compare('strokes', strokesOf, String);
  yield compare('of them for the sound', ({ counts }) => counts.sound, String);
  yield compare('of them for the caret', ({ counts }) => counts.caret, String);
  yield compare('of them in the text', ({ counts }) => counts.text, String);
  yield compare('time of the page for all strokes', pageSecondsOf, seconds);
  yield compare(
    'a stroke, median',
    ({ times }) => quantile(times, 0.5),
    (value) => `${value.toFixed(1)} ms`,
  );
  yield compare(
    `with ${secondsPerStroke} s of typing for each stroke`,
    (figures) => strokesOf(figures) * secondsPerStroke + pageSecondsOf(figures),
    seconds,
  );
}

/** The words, speakers and borders are the right ones, and the times are within a step of the keys that move them. */
function isStored({ transcript_segments: stored }: FileDetail, right: readonly Passage[]): boolean {
  return (
    stored.length === right.length &&
    stored.every(({ speaker, text, start_time: start, end_time: end }, i) => {
      const passage = right[i] as Passage;
      const isTimed = Math.abs(start - passage.start) < nudge && Math.abs(end - passage.end) < nudge;
      return isTimed && text === textOf(passage) && speaker !== null && nameOf(speaker) === passage.speaker;
    })
  );
}

function nameOf({
  name,
  display_name: shown,
}: {
  readonly name: string;
  readonly display_name: string | null;
}): string {
  return shown ?? name;
}

async function storeRecording(client: Client, sound: string): Promise<string> {
  const { body } = await client.upload(sound);
  await client.completed(body.uuid, 600_000);
  return body.uuid;
}

async function importTranscript(client: Client, uuid: string, passages: readonly Passage[]): Promise<void> {
  const segments = passages.map(({ speaker, start, end, words }) => ({
    speaker,
    start_time: start,
    end_time: end,
    text: textOf({ words }),
    words: words.map((one) => ({ ...one, confidence: null })),
  }));
  const form = new FormData();
  form.set('file', new Blob([JSON.stringify({ language: 'en', segments })]), 'speech.json');
  await client.ok('POST', `/api/files/${uuid}/transcript/import`, { body: form });
}

import { join } from 'node:path';
import { JobPostponed, type Seat } from '@overtone/jobs';
import type { Log } from '@overtone/service-kit';
import type { Diarizer } from '../diarization/diarization.ts';
import {
  mergeVocabulary,
  type Candidate,
  type Engines,
  type Recognised,
  type TranscribeRequest,
} from '../engines/engines.ts';
import { engineMissing } from '../failures.ts';
import { speakerBounds, type LiveSettings } from '../settings/settings.ts';
import { artefactKey, type Artefacts, type StageJob } from './artefacts.ts';
import type { CpuChildren } from './cpu-children.ts';

/** `prepare`: probe, 16 kHz mono sound, waveform and picture. Invalid media is a permanent failure with a message for its owner. */
export function prepareJob({ artefacts, cpu }: { artefacts: Artefacts; cpu: CpuChildren }): StageJob<'prepare'> {
  return (input, { progress, signal, token }) =>
    artefacts.inFolder(async (folder) => {
      const began = performance.now();
      const pathOf = (name: string) => join(folder, name);
      const [source, wav, picture] = [pathOf('source'), pathOf('audio.wav'), pathOf('thumbnail.jpg')];
      progress(0, 'Fetching the recording');
      await artefacts.download(input.objectKey, source, signal);
      const { tracks = null, speakersBy = 'voice', language = null } = input.options ?? {};
      const wish = { tracks: tracks && tracks.map((track) => track - 1), language, separate: speakersBy === 'track' };
      const onProgress = (share: number) => progress(0.1 + share * 0.75, 'Preparing the sound');
      const {
        hasPicture,
        seconds,
        waveform: peaks,
        parts,
        ...found
      } = await cpu.prepare({ source, wav, picture, wish, contentType: input.contentType }, { signal, onProgress });
      const engineSeconds = (performance.now() - began) / 1000;
      progress(0.9, 'Saving');
      const key = (name: string, extension?: string) => artefactKey(input, name, token, extension);
      const [audio, waveform, thumbnail] = await Promise.all([
        artefacts.upload(wav, key('audio', 'wav'), 'audio/wav', signal),
        artefacts.writeJson(key('waveform'), peaks),
        hasPicture ? artefacts.upload(picture, key('thumbnail', 'jpg'), 'image/jpeg', signal) : null,
      ]);
      const speakerParts: string[] = [];
      for (const [i, part] of parts.entries())
        speakerParts.push(await artefacts.upload(part, key(`part${i + 1}`, 'wav'), 'audio/wav', signal));
      const output = {
        ...found,
        speakerParts,
        audio,
        waveform,
        thumbnail,
        duration: seconds,
        engine_seconds: engineSeconds,
      };
      return { ...output, artefact: await artefacts.writeJson(key('prepare'), output) };
    });
}

type TranscribeDeps = {
  artefacts: Artefacts;
  enginesFor: Engines['enginesFor'];
  settings: Pick<LiveSettings, 'refresh'>;
  /** The vocabulary of a person. */
  vocabularyOf: (userId: string) => Promise<readonly string[]>;
  log: Log;
};

/**
 * `transcribe`: words with times, by the first engine that fits the recording; the next one when it fails. While another
 * server does the work, the job leaves its place to other recordings.
 */
export function transcribeJob({
  artefacts,
  enginesFor,
  settings,
  vocabularyOf,
  log,
}: TranscribeDeps): StageJob<'transcribe'> {
  return (input, { progress, seat, signal, token }) =>
    artefacts.inFolder(async (folder) => {
      await settings.refresh();
      const { language, task = 'transcribe', provider = null } = input.options;
      const candidates = await enginesFor({ language, task, provider, seconds: input.duration });
      if (candidates[0]?.engine.remote && !seat.becomeRemote()) throw new JobPostponed();
      const vocabulary = await vocabularyOf(input.ownerId);
      const wavPath = join(folder, 'audio.wav');
      progress(0, 'Transcribing');
      const speakerParts = input.speakerParts ?? [];
      const sounds = speakerParts.length > 0 ? speakerParts : [input.audio];
      const results: Recognised[] = [];
      for (const [i, sound] of sounds.entries()) {
        await artefacts.download(sound, wavPath, signal);
        const onProgress = (share: number) => progress((i + share) / sounds.length, 'Transcribing');
        const request = { wavPath, seconds: input.duration, language, task, vocabulary, onProgress, signal };
        results.push(await transcribeInOrder({ candidates, seat, log }, request));
      }
      const { engineSeconds, ...recognised } = results.length > 1 ? mergeSpeakers(results) : firstOf(results);
      const artefact = await artefacts.writeJson(artefactKey(input, 'transcribe', token), recognised);
      return { ...recognised, artefact, words: recognised.words.length, engine_seconds: engineSeconds };
    });
}

function firstOf([first]: Recognised[]): Recognised {
  if (first === undefined) throw engineMissing();
  return first;
}

/** The words of all speakers in order of time; the language is that of most words. */
function mergeSpeakers(results: readonly Recognised[]): Recognised & { speakers: number[] } {
  const spoken = results.flatMap(({ words }, speaker) => words.map((word) => ({ word, speaker })));
  spoken.sort((x, y) => x.word.start - y.word.start || x.speaker - y.speaker);
  const most = firstOf([...results].sort((x, y) => y.words.length - x.words.length));
  return {
    ...most,
    words: spoken.map(({ word }) => word),
    speakers: spoken.map(({ speaker }) => speaker),
    engineSeconds: results.reduce((sum, result) => sum + result.engineSeconds, 0),
  };
}

/** @throws the failure of the last engine. */
async function transcribeInOrder(
  { candidates, seat, log }: { candidates: readonly Candidate[]; seat: Seat; log: Log },
  request: TranscribeRequest & { signal: AbortSignal },
): Promise<Recognised> {
  const last = candidates.at(-1);
  for (const candidate of candidates) {
    try {
      // Without room for another remote job it keeps its place.
      if (candidate.engine.remote) seat.becomeRemote();
      else await seat.becomeLocal(request.signal);
      const vocabulary = mergeVocabulary(request.vocabulary ?? [], candidate.provider?.vocabulary ?? []);
      return await candidate.engine.transcribe({ ...request, vocabulary });
    } catch (err) {
      request.signal.throwIfAborted();
      if (candidate === last) throw err;
      log.warn({ err: err as Error, engine: candidate.engine.info }, 'speech engine failed, next one used');
    }
  }
  throw engineMissing();
}

/** `diarize`: who speaks when. A failure here never costs the words: the dispatcher continues without speakers. */
export function diarizeJob({
  artefacts,
  diarizer,
  settings,
}: {
  artefacts: Artefacts;
  diarizer: Diarizer;
  settings: Pick<LiveSettings, 'refresh' | 'current'>;
}): StageJob<'diarize'> {
  return (input, { progress, signal, token }) =>
    artefacts.inFolder(async (folder) => {
      const separated = input.speakerParts?.length ?? 0;
      if (separated > 0) {
        const found = { provider: 'sound tracks', turns: [], degraded: null };
        const artefact = await artefacts.writeJson(artefactKey(input, 'diarize', token), found);
        return { artefact, provider: found.provider, speakers: separated, degraded: null, engine_seconds: 0 };
      }
      const wavPath = join(folder, 'audio.wav');
      await artefacts.download(input.audio, wavPath, signal);
      const began = performance.now();
      progress(0, 'Telling the speakers apart');
      await settings.refresh();
      const { minSpeakers, maxSpeakers } = speakerBounds(input.options, settings.current());
      const found = await diarizer.diarize({
        wavPath,
        seconds: input.duration,
        minSpeakers,
        maxSpeakers,
        onProgress: (share) => progress(share, 'Telling the speakers apart'),
        signal,
      });
      const engineSeconds = (performance.now() - began) / 1000;
      const artefact = await artefacts.writeJson(artefactKey(input, 'diarize', token), found);
      const { provider, turns, degraded } = found;
      const speakers = new Set(turns.map((turn) => turn.speaker)).size;
      return { artefact, provider, speakers, degraded, engine_seconds: engineSeconds };
    });
}

/** `assemble`: words to speakers. Without a diarization, one speaker has all words and the transcript carries the reason. */
export function assembleJob({ artefacts, cpu }: { artefacts: Artefacts; cpu: CpuChildren }): StageJob<'assemble'> {
  return (input, { progress, signal, token }) =>
    artefacts.inFolder(async (folder) => {
      const began = performance.now();
      const { transcribe, diarize } = input.earlier;
      progress(0, 'Putting words and speakers together');
      const [words, turns, target] = [join(folder, 'words'), join(folder, 'turns'), join(folder, 'transcript')];
      await artefacts.download(transcribe ?? '', words, signal);
      if (diarize) await artefacts.download(diarize, turns, signal);
      const order = {
        words,
        turns: diarize ? turns : null,
        degraded: input.degraded ?? 'Speakers were not separated',
        seconds: input.duration,
        target,
      };
      const { segments, speakers } = await cpu.assemble(order, { signal });
      const key = artefactKey(input, 'assemble', token);
      const artefact = await artefacts.upload(target, key, 'application/json', signal);
      return { artefact, segments, speakers, engine_seconds: (performance.now() - began) / 1000 };
    });
}

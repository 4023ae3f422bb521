import { randomUUID } from 'node:crypto';
import type { FileDetail, FileObject, SegmentObject } from '@overtone/contracts';

const sentences = [
  'Good morning everyone, thank you for coming in so early on a Monday.',
  'I would like to begin with the budget, because it is the one thing that cannot wait.',
  'We spent a little less on travel than planned, and rather more on storage.',
  'The new archive is nearly ready; people can already search the older interviews.',
  'Could you say a word about the recordings from the harbour?',
  'They arrived last week. The sound is good, although the wind is loud in places.',
  'I listened to two of them on the train and understood almost everything.',
  'Then let us put them online as soon as the names are checked.',
  'Agreed. I will write to the families this afternoon.',
  'One more thing: the microphone in the second room needs a new cable.',
  'That explains the noise in the last four sessions.',
  'Right, I will order one today, they are not expensive.',
];
const names: readonly (readonly [string, string | null])[] = [
  ['SPEAKER_01', 'Ines Albrecht'],
  ['SPEAKER_02', null],
  ['SPEAKER_03', 'Tomasz'],
];
type SpeakerObject = FileDetail['speakers'][number];

/** A transcript of any length that resembles speech. */
const transcriptOf = (count: number, speakers: readonly SpeakerObject[]): SegmentObject[] => {
  const segments: SegmentObject[] = [];
  let at = 0.4;
  for (let i = 0; i < count; i += 1) {
    const text = sentences[(i * 7) % sentences.length] as string;
    const words = text.split(' ').map((word) => {
      const start = at;
      at += 0.12 + word.length * 0.055;
      return { word, start, end: at, confidence: (word.length * 7 + i) % 23 === 0 ? 0.2 : 0.9 };
    });
    const speaker = speakers[Math.floor(i / 3) % speakers.length] as SpeakerObject;
    speaker.talk_time += at - (words[0]?.start ?? at);
    const { uuid, name, display_name } = speaker;
    segments.push({
      uuid: randomUUID(),
      start_time: words[0]?.start ?? at,
      end_time: at,
      text,
      speaker: { uuid, name, display_name },
      confidence: 0.9,
      edited: false,
      edited_at: null,
      edited_by: null,
      edited_by_name: null,
      version: 1,
      words,
    });
    at += 0.5;
  }
  return segments;
};

/** A file of the mock with all its segments. */
export type SampleFile = FileDetail;

export const makeFile = (
  title: string,
  status: FileObject['status'],
  segmentCount: number,
  more: Partial<SampleFile> = {},
): SampleFile => {
  const speakers = names.map(([name, display_name]) => ({ uuid: randomUUID(), name, display_name, talk_time: 0 }));
  const segments = transcriptOf(segmentCount, speakers);
  const done = status === 'completed';
  return {
    uuid: randomUUID(),
    filename: `${title.toLowerCase().replaceAll(' ', '-')}.wav`,
    title,
    user_id: randomUUID(),
    status,
    display_status: done ? 'Ready' : status,
    stage: null,
    waiting_for: null,
    content_type: 'audio/wav',
    file_size: 48_211_004,
    file_hash: null,
    duration: segments.at(-1) ? (segments.at(-1)?.end_time ?? 0) + 1 : 754,
    language: done ? 'en' : null,
    upload_time: new Date(Date.now() - segmentCount * 600_000).toISOString(),
    recorded_date: null,
    completed_at: done ? new Date().toISOString() : null,
    has_video: false,
    has_thumbnail: false,
    has_waveform: true,
    engine: done ? { provider: 'pocketsphinx', model: 'en-us', timing: 'engine' } : null,
    diarization_provider: done ? 'acoustic' : null,
    speaker_count: segmentCount > 0 ? speakers.length : 0,
    transcript_version: 1,
    warnings: [],
    error: null,
    tags: done ? [{ uuid: randomUUID(), name: 'Board', source: 'manual' }] : [],
    speakers: segmentCount > 0 ? speakers : [],
    transcript_segments: segments,
    owner_name: null,
    next_stage: null,
    no_speech: false,
    my_permission: 'owner',
    total_segments: segments.length,
    segment_limit: 0,
    segment_offset: 0,
    ...more,
  };
};

export const sampleFiles = (): SampleFile[] => [
  makeFile('Board meeting in March', 'completed', 64),
  makeFile('Council hearing, ten hours', 'completed', 7400, {
    warnings: ['The recording was cut off after ten hours; what came before is complete.'],
  }),
  makeFile('Interview with the harbour master', 'transcribing', 0, {
    stage: 'transcribe',
    display_status: 'Transcribing',
  }),
  makeFile('Call with the archive', 'processing', 0, {
    stage: 'transcribe',
    waiting_for: 'engine',
    display_status: 'Waiting for a speech engine',
  }),
  makeFile('Scanned letter', 'error', 0, {
    duration: null,
    display_status: 'Failed',
    error: {
      code: 'no_audio',
      message: 'There is no sound in this file.',
      what_to_do: 'Open it in a player. If you hear something there, export it as WAV or MP3 and upload that.',
      retryable: false,
    },
  }),
  makeFile('Podcast, episode twelve, with a title that is much longer than any card is wide', 'completed', 240),
];

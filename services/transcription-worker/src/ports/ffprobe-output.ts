import { z } from 'zod';
import { notMedia } from '../failures.ts';
import type { MediaProbe, SoundTrack } from './transcoder.ts';

const numeric = z.coerce.number().refine(Number.isFinite).optional().catch(undefined);

const tagsSchema = z.record(z.string(), z.string()).catch({});
const streamSchema = z.object({
  index: z.number(),
  codec_type: z.string().optional(),
  codec_name: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  pix_fmt: z.string().optional(),
  channels: z.number().optional(),
  channel_layout: z.string().optional(),
  start_time: numeric,
  sample_rate: numeric,
  duration: numeric,
  disposition: z
    .object({
      attached_pic: z.number().default(0),
      default: z.number().default(0),
      comment: z.number().default(0),
      visual_impaired: z.number().default(0),
    })
    .catch({ attached_pic: 0, default: 0, comment: 0, visual_impaired: 0 }),
  tags: tagsSchema,
});

const outputSchema = z.object({
  streams: z.array(streamSchema).default([]),
  format: z.object({ format_name: z.string().default('unknown'), duration: numeric, tags: tagsSchema }).optional(),
});

type Stream = z.infer<typeof streamSchema>;

/** Reads the JSON of `ffprobe -show_format -show_streams`. */
export function parseProbe(json: string): MediaProbe {
  const parsed = outputSchema.safeParse(JSON.parse(json === '' ? '{}' : json));
  const { format, streams } = parsed.success ? parsed.data : { format: undefined, streams: [] };
  if (!format || streams.length === 0) throw notMedia();
  const audio = streams.find((stream) => stream.codec_type === 'audio');
  const picture = pictureOf(streams);
  const video = picture?.kind === 'video' ? streams.find((stream) => stream.index === picture.stream) : undefined;
  return {
    seconds: positive(format.duration) ?? positive(audio?.duration),
    tracks: streams.filter((stream) => stream.codec_type === 'audio' && (stream.channels ?? 0) > 0).map(toTrack),
    container: format.format_name,
    // Ogg has its tags in the stream.
    tags: describingTags({ ...audio?.tags, ...format.tags }),
    audioCodec: audio?.codec_name,
    videoCodec: video?.codec_name,
    width: video?.width,
    height: video?.height,
    pixelFormat: video?.pix_fmt,
    channels: audio?.channels,
    sampleRate: audio?.sample_rate,
    picture,
  };
}

const describing = new Set([
  'title',
  'artist',
  'date',
  'date_recorded',
  'creation_time',
  'com.apple.quicktime.creationdate',
]);
const maxTagLength = 255;

function describingTags(tags: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tags).flatMap(([name, value]) => {
      const key = name.toLowerCase();
      const text = value
        .replaceAll(/\p{C}+/gu, ' ')
        .trim()
        .slice(0, maxTagLength)
        .toWellFormed();
      return describing.has(key) && text !== '' ? [[key === 'date_recorded' ? 'date' : key, text]] : [];
    }),
  );
}

function toTrack({ index, tags, disposition, ...stream }: Stream): SoundTrack {
  const tag = (name: string): string | null =>
    Object.entries(tags)
      .find(([key]) => key.toLowerCase() === name)?.[1]
      .trim() || null;
  const language = tag('language')?.toLowerCase() ?? null;
  return {
    stream: index,
    codec: stream.codec_name ?? 'unknown',
    channels: stream.channels ?? 1,
    layout: stream.channel_layout && stream.channel_layout !== 'unknown' ? stream.channel_layout : null,
    language: language === 'und' || language === 'zxx' ? null : language,
    title: tag('title') ?? (isPlainHandler(tag('handler_name')) ? null : tag('handler_name')),
    isDefault: disposition.default === 1,
    isCommentary: disposition.comment === 1 || disposition.visual_impaired === 1,
    seconds: positive(stream.duration) ?? secondsOf(tag('duration')),
  };
}

/** Names that programs write into every file. */
function isPlainHandler(name: string | null): boolean {
  return name === null || /^(sound|audio|.*handler|.*media handler.*|#mainconcept.*|core media audio)$/i.test(name);
}

/** Matroska keeps the length of a track in a tag, such as 00:00:04.200000000. */
function secondsOf(text: string | null): number | undefined {
  const [, hours, minutes, seconds] = /^(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)$/.exec(text ?? '') ?? [];
  return hours === undefined ? undefined : positive(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

function pictureOf(streams: readonly Stream[]): MediaProbe['picture'] {
  const video = streams.find((stream) => stream.codec_type === 'video' && stream.disposition.attached_pic === 0);
  if (video) return { stream: video.index, kind: 'video' };
  const cover = streams.find((stream) => stream.codec_type === 'video');
  return cover && { stream: cover.index, kind: 'cover' };
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

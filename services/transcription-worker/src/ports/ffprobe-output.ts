import { z } from 'zod';
import { notMedia } from '../failures.ts';
import type { MediaProbe } from './transcoder.ts';

const numeric = z.coerce.number().refine(Number.isFinite).optional().catch(undefined);

const streamSchema = z.object({
  index: z.number(),
  codec_type: z.string().optional(),
  codec_name: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  channels: z.number().optional(),
  sample_rate: numeric,
  duration: numeric,
  disposition: z.object({ attached_pic: z.number().default(0) }).catch({ attached_pic: 0 }),
});

const outputSchema = z.object({
  streams: z.array(streamSchema).default([]),
  format: z.object({ format_name: z.string().default('unknown'), duration: numeric }).optional(),
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
    container: format.format_name,
    audioCodec: audio?.codec_name,
    videoCodec: video?.codec_name,
    width: video?.width,
    height: video?.height,
    channels: audio?.channels,
    sampleRate: audio?.sample_rate,
    picture,
  };
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

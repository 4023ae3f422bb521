import { describe, expect, it } from '@jest/globals';
import type { MediaProbe, SoundTrack } from '../ports/transcoder.ts';
import { needsPlaybackCopy, soundGraph } from './playback.ts';

type Given = { codec?: string; channels?: number; video?: string; pixelFormat?: string; tracks?: number };

function probeOf({ codec = 'aac', channels = 2, video, pixelFormat = 'yuv420p', tracks = 1 }: Given): MediaProbe {
  const track: SoundTrack = {
    stream: 0,
    codec,
    channels,
    layout: null,
    language: null,
    title: null,
    isDefault: true,
    isCommentary: false,
    seconds: undefined,
  };
  return {
    seconds: 1,
    tracks: Array.from({ length: tracks }, () => track),
    container: 'x',
    tags: {},
    audioCodec: codec,
    videoCodec: video,
    pixelFormat: video === undefined ? undefined : pixelFormat,
    width: undefined,
    height: undefined,
    channels,
    sampleRate: undefined,
    picture: video === undefined ? undefined : { stream: 1, kind: 'video' },
  };
}

describe('a playback copy', () => {
  it.each<[string, Given]>([
    ['audio/mpeg', { codec: 'mp3' }],
    ['audio/wav', { codec: 'pcm_s16le' }],
    ['audio/flac', { codec: 'flac' }],
    ['audio/ogg', { codec: 'opus' }],
    ['audio/mp4', {}],
    ['video/mp4', { video: 'h264' }],
    ['video/webm', { codec: 'opus', video: 'vp9' }],
  ])('is not needed for %s with %j', (type, given) => {
    expect(needsPlaybackCopy(probeOf(given), [true], type)).toBe(false);
  });

  it.each<[string, Given]>([
    ['audio/x-ms-asf', { codec: 'wmav2' }],
    ['audio/x-caf', { codec: 'alac' }],
    ['audio/mp4', { codec: 'alac' }],
    ['audio/aiff', { codec: 'pcm_s16be' }],
    ['audio/amr', { codec: 'amr_nb' }],
    ['audio/wav', { codec: 'adpcm_ms' }],
    ['audio/wav', { codec: 'pcm_s16le', channels: 10 }],
    ['video/mp4', { video: 'hevc' }],
    ['video/mp4', { video: 'h264', pixelFormat: 'yuv422p10le' }],
    ['video/mpeg', { codec: 'mp2', video: 'mpeg2video' }],
    ['video/x-msvideo', { codec: 'mp3', video: 'mpeg4' }],
    ['video/quicktime', { video: 'h264' }],
    ['audio/x-unknown', { codec: 'gsm' }],
  ])('is needed for %s with %j', (type, given) => {
    expect(needsPlaybackCopy(probeOf(given), [true], type)).toBe(true);
  });

  it('is needed when the transcribed sound is not that of the first track alone', () => {
    const two = probeOf({ tracks: 2 });
    expect(needsPlaybackCopy(two, [true, false], 'audio/mp4')).toBe(false);
    expect(needsPlaybackCopy(two, [false, true], 'audio/mp4')).toBe(true);
    expect(needsPlaybackCopy(two, [true, true], 'audio/mp4')).toBe(true);
  });

  it('contains all transcribed tracks', () => {
    const graph = soundGraph(probeOf({ tracks: 3 }).tracks, [0, 2]);
    expect(graph).toContain('[0:a:0]');
    expect(graph).not.toContain('[0:a:1]');
    expect(graph).toContain('[a0][a2]amix=inputs=2');
  });
});

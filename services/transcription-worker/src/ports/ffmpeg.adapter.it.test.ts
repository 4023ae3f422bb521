import { execFile } from 'node:child_process';
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';
import { wavSeconds } from '../audio/wav.ts';
import { childEnvironment } from '../env.ts';
import { createFfmpeg } from './ffmpeg.adapter.ts';
import type { SoundWish } from './transcoder.ts';

const run = promisify(execFile);
const ffmpeg = createFfmpeg({ env: childEnvironment(), maxSeconds: 3600 });

function at(name: string): string {
  return join(folder, name);
}

function make(...args: string[]): Promise<unknown> {
  return run('ffmpeg', ['-v', 'error', '-y', ...args]);
}

function sine(seconds: number): string[] {
  return ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}:sample_rate=44100`];
}

const folder = await createFolder();
await make(...sine(6), at('tone.mp3'));
await make(...sine(6), '-c:a', 'libopus', at('tone.ogg'));
await make(...sine(6), '-ac', '2', at('stereo.wav'));
await make('-f', 'lavfi', '-i', 'testsrc=size=1280x720:duration=4:rate=10', ...sine(4), '-c:a', 'aac', at('film.mp4'));
await make('-f', 'lavfi', '-i', 'testsrc=size=320x240:duration=2:rate=10', at('silent.mp4'));
await make('-f', 'lavfi', '-i', 'testsrc=size=400x400:duration=1:rate=1', '-frames:v', '1', at('cover.png'));
await make(
  ...sine(3),
  '-i',
  at('cover.png'),
  '-map',
  '0',
  '-map',
  '1',
  '-c:v',
  'png',
  '-disposition:v',
  'attached_pic',
  at('song.mp3'),
);

async function transcode(name: string): Promise<Awaited<ReturnType<typeof ffmpeg.transcode>>> {
  const probe = await ffmpeg.probe(at(name));
  return ffmpeg.transcode({ source: at(name), target: at(`${name}.out.wav`), probe });
}

describe('transcoding', () => {
  it.each(['tone.mp3', 'tone.ogg', 'stereo.wav', 'film.mp4'])(
    'turns %s into 16 kHz mono speech of the same length',
    async (name) => {
      const probe = await ffmpeg.probe(at(name));
      const result = await transcode(name);
      expect(result.truncated).toBe(false);
      expect(Math.abs(result.seconds - (probe.seconds ?? 0))).toBeLessThan(0.15);
      expect(await wavSeconds(at(`${name}.out.wav`))).toBeCloseTo(result.seconds, 3);
      expect(result.waveform.interval_ms).toBe(100);
      expect(result.waveform.peaks).toHaveLength(Math.ceil(result.seconds * 10 - 1e-6));
      expect(Math.max(...result.waveform.peaks)).toBeGreaterThan(10);
      expect(Math.max(...result.waveform.peaks)).toBeLessThanOrEqual(127);
      expect(result.sound?.level_db).toBeGreaterThan(-40);
      expect(result.sound?.clipped).toBe(0);
    },
  );

  it('writes a header that other programs can read', async () => {
    await transcode('tone.mp3');
    const { stdout } = await run('soxi', [at('tone.mp3.out.wav')]);
    expect(stdout).toContain('16000');
    expect(stdout).toContain('16-bit Signed Integer PCM');
  });

  it('reports ascending progress up to the end', async () => {
    const probe = await ffmpeg.probe(at('stereo.wav'));
    const seen: number[] = [];
    await ffmpeg.transcode({
      source: at('stereo.wav'),
      target: at('p.wav'),
      probe,
      onProgress: (share) => seen.push(share),
    });
    expect(seen.at(-1)).toBeGreaterThan(0.95);
    expect([...seen].sort((x, y) => x - y)).toEqual(seen);
  });

  it('stops when it is cancelled', async () => {
    await make(...sine(1200), at('long.wav'));
    const probe = await ffmpeg.probe(at('long.wav'));
    const stop = new AbortController();
    const going = ffmpeg.transcode({
      source: at('long.wav'),
      target: at('c.wav'),
      probe,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(going).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('rejects a recording above the maximum duration', async () => {
    const strict = createFfmpeg({ env: childEnvironment(), maxSeconds: 2 });
    const probe = await strict.probe(at('tone.mp3'));
    await expect(strict.transcode({ source: at('tone.mp3'), target: at('x.wav'), probe })).rejects.toMatchObject({
      code: 'media_too_long',
      permanent: true,
    });
    const lying = { ...probe, seconds: undefined };
    await expect(strict.transcode({ source: at('tone.mp3'), target: at('x.wav'), probe: lying })).rejects.toMatchObject(
      { code: 'media_too_long' },
    );
  });
});

describe('sound of several channels and tracks', () => {
  const tone = (hertz: number, seconds = 4) => [
    '-f',
    'lavfi',
    '-i',
    `sine=${hertz}:duration=${seconds}:sample_rate=48000`,
  ];
  const quiet = (seconds = 4) => ['-f', 'lavfi', '-i', `anullsrc=r=48000:cl=mono:d=${seconds}`];
  const picture = (seconds: number) => ['-f', 'lavfi', '-i', `color=c=blue:s=160x120:r=5:d=${seconds}`];
  const maps = (...inputs: number[]) => inputs.flatMap((input) => ['-map', String(input)]);

  /** The frequencies of 300, 500 and 700 Hz that a file of samples contains. */
  async function tonesOf(path: string): Promise<number[]> {
    const bytes = (await readFile(path)).subarray(44);
    const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)));
    const part = samples.subarray(16_000, 32_000);
    return [300, 500, 700].filter((hertz) => {
      let [sine, cosine] = [0, 0];
      part.forEach((value, i) => {
        const angle = (2 * Math.PI * hertz * i) / 16_000;
        sine += value * Math.sin(angle);
        cosine += value * Math.cos(angle);
      });
      return (2 * Math.hypot(sine, cosine)) / part.length > 300;
    });
  }
  async function tonesIn(name: string, wish?: Partial<SoundWish>) {
    const probe = await ffmpeg.probe(at(name));
    const target = at(`${name}.out.wav`);
    const complete = wish && { tracks: null, language: null, separate: false, ...wish };
    const result = await ffmpeg.transcode({ source: at(name), target, probe, wish: complete });
    return { ...result, tones: await tonesOf(target), partTones: await Promise.all(result.parts.map(tonesOf)) };
  }

  it.each([
    ['phase', [...tone(300), '-af', 'pan=stereo|c0=c0|c1=-1*c0', '-ac', '2'], 'phase.wav', [300]],
    ['centre', [...tone(500), '-af', 'pan=5.1|FC=c0'], 'centre.flac', [500]],
    ['ten', [...tone(700), '-filter_complex', 'pan=10C|c7=c0[o]', '-map', '[o]'], 'ten.wav', [700]],
    [
      'two people',
      [...tone(300), ...tone(500), '-filter_complex', 'amerge=inputs=2[o]', '-map', '[o]'],
      'two.wav',
      [300, 500],
    ],
    [
      'tracks',
      [...picture(4), ...quiet(), ...tone(500), ...maps(0, 1, 2), '-c:v', 'mpeg4', '-c:a', 'aac'],
      'a.mp4',
      [500],
    ],
    ['both tracks', [...tone(300), ...tone(700), ...maps(0, 1), '-c:a', 'aac'], 'b.mkv', [300, 700]],
  ])('is found: %s', async (_, args, name, expected) => {
    await make(...args, at(name));
    expect((await tonesIn(name)).tones).toEqual(expected);
  });

  it('is that of the chosen tracks', async () => {
    await make(...tone(300), ...tone(700), ...maps(0, 1), '-c:a', 'aac', at('choice.mkv'));
    expect(await tonesIn('choice.mkv', { tracks: [1] })).toMatchObject({ tones: [700], usedTracks: [false, true] });
  });

  it('is that of one language of several', async () => {
    const languages = ['-metadata:s:a:0', 'language=ger', '-metadata:s:a:1', 'language=eng'];
    await make(...tone(300), ...tone(700), ...maps(0, 1), ...languages, '-c:a', 'aac', at('dubbed.mkv'));
    expect((await tonesIn('dubbed.mkv')).tones).toEqual([300]);
    expect((await tonesIn('dubbed.mkv', { language: 'en' })).tones).toEqual([700]);
  });

  it('has one part per speaker when speakers have tracks of their own', async () => {
    await make(...tone(300), ...tone(700), ...maps(0, 1), '-c:a', 'aac', at('people.mkv'));
    const { tones, partTones, parts, seconds } = await tonesIn('people.mkv', { separate: true });
    expect({ tones, partTones }).toEqual({ tones: [300, 700], partTones: [[300], [700]] });
    expect(await Promise.all(parts.map(wavSeconds))).toEqual([seconds, seconds]);
  });

  it('has one part per channel of a single track', async () => {
    await make(...tone(300), ...tone(500), '-filter_complex', 'amerge=inputs=2[o]', '-map', '[o]', at('call.wav'));
    expect((await tonesIn('call.wav', { separate: true })).partTones).toEqual([[300], [500]]);
  });

  it('does not contain what a microphone receives of another speaker', async () => {
    const halves = '[0]volume=0:enable=gte(t\\,2)[a];[1]volume=0:enable=lt(t\\,2)[b]';
    const graph = `${halves};[a]asplit[a1][a2];[a2]volume=-30dB[bleed];[b][bleed]amix=normalize=0[c];[a1]aformat=flt:48000:mono[d];[c]aformat=flt:48000:mono[e];[d][e]amerge[o]`;
    await make(...tone(300), ...tone(500), '-filter_complex', graph, '-map', '[o]', at('bleed.wav'));
    expect((await tonesIn('bleed.wav', { separate: true })).partTones).toEqual([[300], []]);
  });

  it('is complete when the picture or another track is longer', async () => {
    await make(...picture(12), ...tone(300), ...maps(0, 1), '-c:v', 'mpeg4', '-c:a', 'aac', at('screen.mp4'));
    await make(...picture(12), ...tone(300), ...maps(0, 1), '-c:v', 'mpeg4', '-c:a', 'aac', at('screen.mkv'));
    await make(...tone(300), ...quiet(12), ...maps(0, 1), '-c:a', 'aac', at('longer.mp4'));
    for (const name of ['screen.mp4', 'screen.mkv', 'longer.mp4']) expect((await tonesIn(name)).truncated).toBe(false);
  });

  it.each([
    ['mp4', ['-movflags', '+faststart']],
    ['mkv', []],
  ])('is cut off in half of a file in %s', async (extension, more) => {
    const name = `half.${extension}`;
    await make(...picture(40), ...tone(300, 40), ...maps(0, 1), '-c:v', 'mpeg4', '-c:a', 'aac', ...more, at(name));
    await truncate(at(name), Math.floor((await stat(at(name))).size / 2));
    expect((await tonesIn(name)).truncated).toBe(true);
  });
});

describe('invalid input', () => {
  it('reports an empty file', async () => {
    await writeFile(at('empty.mp3'), '');
    await expect(ffmpeg.probe(at('empty.mp3'))).rejects.toMatchObject({ code: 'media_no_audio', permanent: true });
  });

  it.each([
    ['text', Buffer.from('just some words\n'.repeat(500))],
    ['noise', Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 7919 + (i >> 3) * 31) & 255))],
    ['html', Buffer.from('<!doctype html><html><body>hello</body></html>')],
  ])('reports that %s is not media', async (name, bytes) => {
    await writeFile(at(`${name}.mp3`), bytes);
    await expect(
      ffmpeg
        .probe(at(`${name}.mp3`))
        .then((probe) => ffmpeg.transcode({ source: at(`${name}.mp3`), target: at('n.wav'), probe })),
    ).rejects.toMatchObject({ permanent: true, code: expect.stringMatching(/^media_(unreadable|no_audio)$/) });
  });

  it('reports that a picture or a silent film has no sound', async () => {
    await expect(transcode('silent.mp4')).rejects.toMatchObject({ code: 'media_no_audio', permanent: true });
  });

  it('converts the present part of a truncated file with a flag', async () => {
    await make(...sine(20), at('whole.flac'));
    const { size } = await stat(at('whole.flac'));
    await truncate(at('whole.flac'), Math.floor(size / 2));
    const flac = await transcode('whole.flac');
    expect(flac.truncated).toBe(true);
    expect(flac.seconds).toBeGreaterThan(5);
    await make(...sine(20), at('whole.wav'));
    await truncate(at('whole.wav'), 44_100 * 2 * 8);
    const wav = await transcode('whole.wav');
    expect(wav.truncated).toBe(true);
    expect(wav.seconds).toBeGreaterThan(7.5);
  });

  it('reports that a film truncated before its index is unreadable', async () => {
    await make('-f', 'lavfi', '-i', 'testsrc=duration=4', ...sine(4), '-c:a', 'aac', at('cut.mp4'));
    await truncate(at('cut.mp4'), 9000);
    await expect(ffmpeg.probe(at('cut.mp4'))).rejects.toMatchObject({ code: 'media_truncated', permanent: true });
  });
});

describe('crafted uploads', () => {
  it.each([
    [
      'hls.m3u8',
      (target: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nfile://${target}\n#EXT-X-ENDLIST\n`,
    ],
    ['hls.mp3', (target: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n${target}\n#EXT-X-ENDLIST\n`],
    ['hls-net.mp4', () => '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nhttp://127.0.0.1:1/x.ts\n#EXT-X-ENDLIST\n'],
    ['concat.wav', () => `ffconcat version 1.0\nfile stereo.wav\n`],
    [
      'dash.mpd',
      () => '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period></Period></MPD>',
    ],
    ['session.sdp', () => 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n'],
  ])('are not followed: %s', async (name, content) => {
    await writeFile(at(name), content(at('stereo.wav')));
    await expect(ffmpeg.probe(at(name))).rejects.toMatchObject({ code: 'media_unreadable', permanent: true });
  });

  it('are read as a file when their name looks like an address or option', async () => {
    const odd = at('-i http:127.0.0.1,x|y.mp3');
    await writeFile(odd, await readFile(at('tone.mp3')));
    expect((await ffmpeg.probe(odd)).audioCodec).toBe('mp3');
  });
});

describe('thumbnails', () => {
  const isJpeg = async (path: string): Promise<boolean> => {
    const file = await open(path, 'r');
    const head = Buffer.alloc(3);
    await file.read(head, 0, 3, 0);
    await file.close();
    return head.toString('hex') === 'ffd8ff';
  };

  it.each(['film.mp4', 'song.mp3'])('creates a small JPEG from %s', async (name) => {
    expect(await ffmpeg.thumbnail(at(name), at(`${name}.jpg`), await ffmpeg.probe(at(name)))).toBe(true);
    expect(await isJpeg(at(`${name}.jpg`))).toBe(true);
  });

  it('creates none for audio', async () => {
    expect(await ffmpeg.thumbnail(at('tone.mp3'), at('none.jpg'), await ffmpeg.probe(at('tone.mp3')))).toBe(false);
  });
});

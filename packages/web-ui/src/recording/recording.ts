/** Choices of a person for recordings in this browser. */
export type RecordingChoice = {
  readonly source: RecordingSource;
  readonly quality: RecordingQuality;
  readonly maxMinutes: number;
};
export type RecordingSource = 'microphone' | 'tab' | 'both';
export type RecordingQuality = 'standard' | 'high' | 'maximum';

export const maxMinutesChoices = [15, 30, 60, 120, 240, 480] as const;
export const bitsPerSecond: Record<RecordingQuality, number> = { standard: 64_000, high: 128_000, maximum: 256_000 };
export const defaultChoice: RecordingChoice = { source: 'microphone', quality: 'standard', maxMinutes: 120 };

/** The interval in which the browser hands over what it recorded: at most this much is lost with a crashed tab. */
export const sliceMs = 2_000;

const types = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus'];

/** The first container that the browser can record; null: none. */
export function pickType(isSupported: (type: string) => boolean): string | null {
  return types.find(isSupported) ?? null;
}

/** `Recording 2026-11-23 14.05.webm` */
export function recordingName(type: string, at: Date): string {
  const pad = (value: number): string => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  const container = /^audio\/(\w+)/.exec(type)?.[1] ?? 'webm';
  const extension = container === 'mp4' ? 'm4a' : container;
  return `Recording ${day} ${pad(at.getHours())}.${pad(at.getMinutes())}.${extension}`;
}

/** A piece of a recording that the server has not confirmed. */
export type Chunk = { readonly offset: number; readonly blob: Blob };

/** The chunks that remain when the server has the bytes before the offset; none after a gap, which would damage the file. */
export function chunksAfter(chunks: readonly Chunk[], offset: number): Chunk[] {
  const rest = chunks.flatMap((chunk) => {
    const missing = offset - chunk.offset;
    if (missing <= 0) return [chunk];
    return missing >= chunk.blob.size ? [] : [{ offset, blob: chunk.blob.slice(missing) }];
  });
  let end = offset;
  return rest.filter((chunk) => {
    if (chunk.offset !== end) return false;
    end += chunk.blob.size;
    return true;
  });
}

/** Chunks that follow each other from the first, as one body of limited size. */
export function bodyOf(chunks: readonly Chunk[], maxBytes: number): Blob {
  const parts: Blob[] = [];
  let size = 0;
  for (const { blob } of chunks) {
    if (parts.length > 0 && size + blob.size > maxBytes) break;
    parts.push(blob);
    size += blob.size;
  }
  return new Blob(parts);
}

/** The loudness of samples between 0 and 1, in decibels from -60 to 0. */
export function levelOf(samples: Float32Array): number {
  const mean = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length);
  const decibels = 10 * Math.log10(Math.max(mean, 1e-6));
  return Math.max(0, Math.min(1, 1 + decibels / 60));
}

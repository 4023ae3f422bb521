import { useState } from 'react';
import type { FileItem } from '../api/queries.ts';

/** A picture of the recording: the thumbnail of a video, else a wave drawn from the file's own id. */
export const FileCover = ({ file }: { file: FileItem }) => {
  const [broken, setBroken] = useState(false);
  if (file.has_thumbnail && !broken) {
    return (
      <img
        src={`/api/files/${file.uuid}/thumbnail`}
        alt=""
        loading="lazy"
        decoding="async"
        onError={() => setBroken(true)}
      />
    );
  }
  return <SeedWave seed={file.uuid} />;
};

export const SeedWave = ({ seed, bars = 48 }: { seed: string; bars?: number }) => {
  const heights = waveOf(seed, bars);
  return (
    <svg viewBox={`0 0 ${bars * 4} 60`} width="100%" height="100%" preserveAspectRatio="none" aria-hidden="true">
      {heights.map((h, i) => (
        <rect key={i} x={i * 4 + 1} y={30 - h * 24} width="2" height={h * 48} rx="1" fill="currentColor" />
      ))}
    </svg>
  );
};

const waveOf = (seed: string, bars: number): number[] => {
  let state = 2166136261;
  for (const char of seed) state = Math.imul(state ^ char.charCodeAt(0), 16777619);
  return Array.from({ length: bars }, (_, i) => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + i;
    const noise = ((state >>> 8) & 0xffff) / 0xffff;
    const shape = Math.abs(Math.sin(i / (3 + (seed.charCodeAt(2) % 4))) * Math.sin(i / 11 + seed.charCodeAt(4)));
    return 0.08 + 0.5 * shape + 0.3 * noise * shape + 0.1 * noise;
  });
};

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { urlOf } from '@overtone/client';
import { waveformQuery, type FileItem } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';

/** The thumbnail of a video, the waveform of a recording, or a sheet for a transcript without one. */
export function FileCover({ file }: { file: FileItem }) {
  const [broken, setBroken] = useState(false);
  if (file.has_thumbnail && !broken) {
    return (
      <img
        src={urlOf('GET /api/files/{uuid}/thumbnail', { params: { uuid: file.uuid } })}
        alt=""
        loading="lazy"
        decoding="async"
        onError={() => setBroken(true)}
      />
    );
  }
  if (!file.has_media) return <Icon name="file" size={40} />;
  return <CoverWave file={file} />;
}

const bars = 48;
/** Several samples per bar: their mean shows pauses that a maximum would hide. */
const samples = 480;

function CoverWave({ file }: { file: FileItem }) {
  const peaks = useQuery({ ...waveformQuery(file.uuid, samples), enabled: file.has_waveform }).data?.peaks;
  return <Wave heights={peaks ? heightsOf(peaks) : flat} />;
}

const flat = Array.from({ length: bars }, () => 0.04);

/** A flat line for the empty library. */
export function FlatWave() {
  return <Wave heights={flat} />;
}

function Wave({ heights }: { heights: readonly number[] }) {
  return (
    <svg viewBox={`0 0 ${bars * 4} 60`} width="100%" height="100%" preserveAspectRatio="none" aria-hidden="true">
      {heights.map((height, i) => (
        <rect key={i} x={i * 4 + 1} y={30 - height * 26} width="2" height={height * 52} rx="1" fill="currentColor" />
      ))}
    </svg>
  );
}

/** The mean loudness of each bar, relative to the loudest bar. */
function heightsOf(peaks: readonly number[]): number[] {
  const means = flat.map((_, i) => {
    const ofBar = peaks.slice(Math.floor((i * peaks.length) / bars), Math.ceil(((i + 1) * peaks.length) / bars));
    return ofBar.reduce((sum, peak) => sum + peak, 0) / Math.max(1, ofBar.length);
  });
  const loudest = Math.max(0.01, ...means);
  return means.map((mean, i) => Math.max(flat[i] ?? 0, 0.92 * (mean / loudest) ** 1.4));
}

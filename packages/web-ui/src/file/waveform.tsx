import { t } from '@lingui/core/macro';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { waveformQuery } from '../api/queries.ts';
import { clock } from '../lib/format.ts';
import { useFile } from './file-context.ts';
import css from './file.module.css';
import { drawWave, type Lane } from './waveform-drawing.ts';

type Props = { readonly duration: number; readonly lanes: readonly Lane[] };

/** The waveform with speakers and position. For keyboard and screen reader it is a slider. */
export function Waveform({ duration, lanes }: Props) {
  const { file, player } = useFile();
  const { ref: sized, width } = useElementSize<HTMLDivElement>();
  const ref = useRef<HTMLDivElement>(null);
  const mergedRef = useMergedRef(sized, ref);
  const base = useRef<HTMLCanvasElement>(null);
  const played = useRef<HTMLCanvasElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<number | null>(null);
  const scheme = useComputedColorScheme();
  const peaks = useQuery({ ...waveformQuery(file.uuid, 1600), enabled: file.has_waveform }).data?.peaks;

  useEffect(() => {
    if (base.current) drawWave(base.current, { peaks, lanes, duration, tone: 'rest' });
    if (played.current) drawWave(played.current, { peaks, lanes, duration, tone: 'played' });
  }, [peaks, lanes, duration, width, scheme]);

  useEffect(() => {
    let announcedSecond = -1;
    return player.onTick((now) => {
      const percent = duration > 0 ? Math.min(1, now / duration) * 100 : 0;
      if (played.current) played.current.style.clipPath = `inset(0 ${100 - percent}% 0 0)`;
      if (line.current) line.current.style.left = `${percent}%`;
      const second = Math.floor(now);
      if (second === announcedSecond || !ref.current) return;
      announcedSecond = second;
      ref.current.setAttribute('aria-valuenow', String(second));
      ref.current.setAttribute('aria-valuetext', t`${clock(now)} of ${clock(duration)}`);
    });
  }, [player, duration]);

  const timeAt = (event: PointerEvent): number => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * duration;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    player.seek(step === 'start' ? 0 : step === 'end' ? duration : player.now() + step);
  };
  return (
    <div
      ref={mergedRef}
      className={css['wave']}
      role="slider"
      tabIndex={0}
      aria-label={t`Position in the recording`}
      aria-valuemin={0}
      aria-valuemax={Math.floor(duration)}
      aria-valuenow={0}
      data-testid="waveform"
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        player.seek(timeAt(event));
      }}
      onPointerMove={(event) => {
        setHover(timeAt(event));
        if (event.currentTarget.hasPointerCapture(event.pointerId)) player.seek(timeAt(event));
      }}
      onPointerLeave={() => setHover(null)}
    >
      <canvas ref={base} />
      <canvas ref={played} />
      <div ref={line} className={css['headLine']} />
      {hover !== null && duration > 0 && (
        <span className={`ot-tabular ${css['hover']}`} style={{ left: `${(hover / duration) * 100}%` }}>
          {clock(hover)}
        </span>
      )}
    </div>
  );
}

const steps: Record<string, number | 'start' | 'end'> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -60,
  PageUp: 60,
  Home: 'start',
  End: 'end',
};

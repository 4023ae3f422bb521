/** A stretch in which one speaker speaks. */
export type Lane = { readonly start: number; readonly end: number; readonly color: string };

type Drawing = {
  readonly peaks: readonly number[] | undefined;
  readonly lanes: readonly Lane[];
  readonly duration: number;
  readonly tone: 'rest' | 'played';
};

const barWidth = 2;
const gap = 1;
const laneHeight = 3;

/** Peaks for as many bars as fit: the loudest of those that fall on each bar. */
export const barsOf = (peaks: readonly number[], count: number): number[] => {
  if (peaks.length === 0 || count <= 0) return [];
  const top = Math.max(0.05, ...peaks);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((i + 1) * peaks.length) / count));
    return Math.max(...peaks.slice(from, to)) / top;
  });
};

/** Neighbouring stretches of one speaker as one, so that ten hours draw in a frame. */
export const joinLanes = (lanes: readonly Lane[], closer: number): Lane[] => {
  const joined: Lane[] = [];
  for (const lane of lanes) {
    const last = joined.at(-1);
    if (last && last.color === lane.color && lane.start - last.end <= closer) {
      joined[joined.length - 1] = { ...last, end: Math.max(last.end, lane.end) };
    } else joined.push(lane);
  }
  return joined;
};

export const drawWave = (canvas: HTMLCanvasElement, { peaks, lanes, duration, tone }: Drawing): void => {
  const scale = Math.min(2, devicePixelRatio || 1);
  const { clientWidth: width, clientHeight: height } = canvas;
  const paint = canvas.getContext('2d');
  if (!paint || width === 0) return;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  paint.setTransform(scale, 0, 0, scale, 0, 0);
  paint.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  paint.fillStyle = style.getPropertyValue(tone === 'played' ? '--ot-accent' : '--ot-wave');
  const room = height - laneHeight - 5;
  const bars = peaks ? barsOf(peaks, Math.floor(width / (barWidth + gap))) : [];
  bars.forEach((peak, i) => {
    const h = Math.max(1.5, peak * room);
    paint.fillRect(i * (barWidth + gap), (room - h) / 2, barWidth, h);
  });
  if (bars.length === 0) paint.fillRect(0, room / 2 - 1, width, 2);
  for (const lane of joinLanes(lanes, duration / width)) {
    paint.fillStyle = style.getPropertyValue(lane.color.slice(4, -1));
    paint.globalAlpha = tone === 'played' ? 1 : 0.55;
    paint.fillRect(
      (lane.start / duration) * width,
      height - laneHeight,
      Math.max(1, ((lane.end - lane.start) / duration) * width),
      laneHeight,
    );
  }
  paint.globalAlpha = 1;
};

/** A time span of one speaker. */
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
const laneStep = 2;

/** One peak per bar: the loudest of the peaks it covers. */
export function barsOf(peaks: readonly number[], count: number): number[] {
  if (peaks.length === 0 || count <= 0) return [];
  const top = Math.max(0.05, ...peaks);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((i + 1) * peaks.length) / count));
    return Math.max(...peaks.slice(from, to)) / top;
  });
}

/** The color of the speaker with the most talk time in each column; undefined for silence. */
export function columnsOf(lanes: readonly Lane[], duration: number, count: number): (string | undefined)[] {
  const columns: (string | undefined)[] = Array.from({ length: count });
  const most = new Float64Array(count);
  const sums = new Map<string, Float64Array>();
  if (duration <= 0 || count <= 0) return columns;
  const width = duration / count;
  for (const { start, end, color } of lanes) {
    const sum = sums.get(color) ?? new Float64Array(count);
    sums.set(color, sum);
    const last = Math.min(count - 1, Math.floor(end / width));
    for (let i = Math.max(0, Math.floor(start / width)); i <= last; i += 1) {
      sum[i] = (sum[i] ?? 0) + Math.min(end, (i + 1) * width) - Math.max(start, i * width);
      if ((sum[i] ?? 0) <= (most[i] ?? 0)) continue;
      most[i] = sum[i] ?? 0;
      columns[i] = color;
    }
  }
  return columns;
}

export function drawWave(canvas: HTMLCanvasElement, { peaks, lanes, duration, tone }: Drawing): void {
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
    const barHeight = Math.max(1.5, peak * room);
    paint.fillRect(i * (barWidth + gap), (room - barHeight) / 2, barWidth, barHeight);
  });
  if (bars.length === 0) paint.fillRect(0, room / 2 - 1, width, 2);
  paint.globalAlpha = tone === 'played' ? 1 : 0.55;
  columnsOf(lanes, duration, Math.floor(width / laneStep)).forEach((color, i) => {
    if (color === undefined) return;
    paint.fillStyle = style.getPropertyValue(color.slice(4, -1));
    paint.fillRect(i * laneStep, height - laneHeight, laneStep, laneHeight);
  });
  paint.globalAlpha = 1;
}

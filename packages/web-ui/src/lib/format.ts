/** Position in a recording: `0:07`, `12:34`, `1:02:03`. */
export const clock = (seconds: number): string => {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0;
  const two = (n: number) => String(n).padStart(2, '0');
  const h = Math.floor(whole / 3600);
  const m = Math.floor((whole % 3600) / 60);
  return h > 0 ? `${h}:${two(m)}:${two(whole % 60)}` : `${m}:${two(whole % 60)}`;
};

/** Length of something: `8 s`, `12 min`, `1 h 5 min`. */
export const duration = (seconds: number): string => {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
};

/** Time left in words that do not jump with every second. */
export const timeLeft = (seconds: number | null): string => {
  if (seconds === null || !Number.isFinite(seconds)) return 'working out the time left';
  if (seconds < 8) return 'a few seconds left';
  if (seconds <= 50) return `about ${Math.ceil(seconds / 10) * 10} seconds left`;
  const minutes = Math.round(seconds / 60);
  if (minutes <= 1) return 'about a minute left';
  if (minutes < 60) return `about ${minutes} minutes left`;
  const hours = Math.round(minutes / 30) / 2;
  return hours === 1 ? 'about an hour left' : `about ${hours} hours left`;
};

/** Size in the units that file managers show: `812 B`, `3.4 MB`, `16 GB`. */
export const bytes = (n: number): string => {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = n;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${units[unit]}`;
};

/** A size limit, which people know in binary units: `16 GiB`. */
export const limitBytes = (n: number): string => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = n;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(1))} ${units[unit]}`;
};

/** `just now`, `5 min ago`, `yesterday`, `12 Mar 2026`. */
export const ago = (iso: string, now: Date = new Date()): string => {
  const then = new Date(iso);
  const seconds = (now.getTime() - then.getTime()) / 1000;
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  const days = Math.floor((startOfDay(now) - startOfDay(then)) / 86_400_000 + 0.5);
  if (days <= 0) return `${Math.floor(seconds / 3600)} h ago`;
  if (days === 1) return 'yesterday';
  if (days < 7) return `${days} days ago`;
  return then.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
};
const startOfDay = (d: Date): number => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();

/** Date and time in the reader's own way, for titles and details. */
export const moment = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A day not far from now, with its time: `Sun, 22 Nov, 04:00`. */
export const soon = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });

/** The time of day, to the second. */
export const timeOfDay = (at: string | number): string => new Date(at).toLocaleTimeString();

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString()} ${n === 1 ? one : many}`;

import { plural, t } from '@lingui/core/macro';
import { readerLocale } from './language.ts';

/** Position in a recording: `0:07`, `12:34`, `1:02:03`. */
export function clock(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0;
  const twoDigits = (part: number) => String(part).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = twoDigits(whole % 60);
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** A length of time: `8 s`, `12 min`, `1 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 60) return t`${Math.max(0, Math.floor(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t`${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? t`${minutes / 60} h` : t`${Math.floor(minutes / 60)} h ${rest} min`;
}

/** The remaining time, rounded so that it does not change every second. */
export function timeLeft(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return t`calculating time left`;
  if (seconds < 8) return t`a few seconds left`;
  if (seconds <= 50) return plural(Math.ceil(seconds / 10) * 10, { other: 'about # seconds left' });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return plural(minutes, { 1: 'about a minute left', other: 'about # minutes left' });
  return plural(Math.round(minutes / 30) / 2, { 1: 'about an hour left', other: 'about # hours left' });
}

/** A size as file managers show it, with 1,024 bytes in a KB: `812 B`, `3.4 MB`, `16 GB`. */
export function bytes(count: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${units[unit]}`;
}

/** `just now`, `5 min ago`, `yesterday`, `12 Mar 2026`. */
export function ago(iso: string, now: Date = new Date()): string {
  const then = new Date(iso);
  const seconds = (now.getTime() - then.getTime()) / 1000;
  if (seconds < 60) return t`just now`;
  if (seconds < 3600) return t`${Math.floor(seconds / 60)} min ago`;
  const days = Math.floor((startOfDay(now) - startOfDay(then)) / 86_400_000 + 0.5);
  if (days <= 0) return t`${Math.floor(seconds / 3600)} h ago`;
  if (days === 1) return t`yesterday`;
  if (days < 7) return plural(days, { one: '# day ago', other: '# days ago' });
  return then.toLocaleDateString(readerLocale(), { day: 'numeric', month: 'short', year: 'numeric' });
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** Date and time in the format of the reader. */
export function moment(iso: string): string {
  return new Date(iso).toLocaleString(readerLocale(), { dateStyle: 'medium', timeStyle: 'short' });
}

/** A near day with its time: `Sun, 22 Nov, 04:00`. */
export function soon(iso: string): string {
  return new Date(iso).toLocaleString(readerLocale(), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** The time of day, to the second. */
export function timeOfDay(at: string | number): string {
  return new Date(at).toLocaleTimeString(readerLocale());
}

/** A number with the separators of the reader: `1,234`. */
export function formatNumber(value: number): string {
  return value.toLocaleString(readerLocale());
}

/** A share as a person reads it. One word in a thousand is not “0 %”, and 999 are not “100 %”. */
export function percent(part: number, whole: number): string {
  const value = whole === 0 ? 0 : (part / whole) * 100;
  if (part > 0 && value < 0.1) return '< 0.1 %';
  const digits = value < 10 || (part < whole && value > 99) ? 1 : 0;
  const shown = part < whole ? Math.min(value, 99.9) : value;
  return `${Number(shown.toFixed(digits))} %`;
}

import { observable } from '../lib/observable.ts';

/** Dropped or chosen files that wait for their options. */
export const intake = observable<readonly File[]>([]);

export const fileInputId = 'upload-input';
/** Opens the browser's file chooser from anywhere on the page. */
export function openUpload(): void {
  return document.getElementById(fileInputId)?.click();
}

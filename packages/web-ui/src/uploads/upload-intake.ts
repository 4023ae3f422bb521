import { observable } from '../lib/observable.ts';

/** Dropped or chosen files that wait for their options. */
export const intake = observable<readonly File[]>([]);

/** The open dialog of another way to add something: a recording made here or at an address, or a transcript. */
export type AddDialog = { readonly kind: 'record' | 'url' } | { readonly kind: 'import'; readonly file: File | null };
export const addDialog = observable<AddDialog | null>(null);

export const fileInputId = 'upload-input';
/** Opens the browser's file chooser from anywhere on the page. */
export function openUpload(): void {
  return document.getElementById(fileInputId)?.click();
}

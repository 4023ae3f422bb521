import { useSyncExternalStore } from 'react';
import { observable } from '../../lib/observable.ts';

/** A pass that was ordered here and has not begun: known by the pass that was the last one then. */
export const ordered = observable<{ readonly after: string | null } | null>(null);
export const useOrdered = (): boolean => useSyncExternalStore(ordered.subscribe, ordered.get) !== null;

export { settingsStore } from './settings.store.ts';
export type { SweepSettings } from './sweep-settings.ts';

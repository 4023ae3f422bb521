import { msg } from '@lingui/core/macro';
import type { SettingValues, voiceSettings } from '@overtone/contracts';
import { translateOnRead } from '../../lib/language.ts';
import type { SettingLabel } from '../settings/setting-field.tsx';

/** Texts of the settings of voices. */
export const voiceLabels: Readonly<Record<keyof SettingValues<typeof voiceSettings>, SettingLabel>> = translateOnRead({
  profiles_enabled: {
    label: msg`Store voices and recognise them again`,
    description: msg`Speakers that people name are suggested in their other recordings.`,
  },
  suggestion_threshold: {
    label: msg`Suggest from a confidence of`,
    description: msg`From 0.5 to 0.99: a higher value makes fewer and surer suggestions.`,
  },
});

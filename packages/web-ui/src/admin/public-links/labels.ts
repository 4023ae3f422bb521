import { msg } from '@lingui/core/macro';
import type { publicLinksGroup, SettingValues } from '@overtone/contracts';
import { translateOnRead } from '../../lib/language.ts';
import type { SettingLabel } from '../settings/setting-field.tsx';

/** Texts of the settings of public links. */
export const publicLinkLabels: Readonly<Record<keyof SettingValues<typeof publicLinksGroup>, SettingLabel>> =
  translateOnRead({
    enabled: {
      label: msg`Allow public links`,
      description: msg`Who may share a recording can create links that open it without an account.`,
    },
    max_days: {
      label: msg`Longest time in days`,
      description: msg`New links end after at most this time.`,
    },
    password_required: {
      label: msg`Require a password`,
      description: msg`For new links.`,
    },
  });

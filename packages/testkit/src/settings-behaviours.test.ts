import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as contracts from '@overtone/contracts';
import type {
  backupGroup,
  DirectorySyncSettings,
  insightsGroup,
  labelGroup,
  mirrorGroup,
  promptsGroup,
  publicLinksGroup,
  redactionGroup,
  retentionGroup,
  SettingValues,
  voiceSettings,
} from '@overtone/contracts';

const root = resolve(import.meta.dirname, '../../..');
/** The file below `services` and the name of the test that proves what a setting changes. */
type Proof = readonly [file: string, test: string];
type Proofs<K extends string> = Readonly<Record<K, Proof>>;

const backup = 'operations/src/backup/backup.it.test.ts';
const mirror = 'operations/src/mirror/mirror.it.test.ts';
const sentToServer = [backup, 'and the %s settings are sent to the server as they are set'] as const;
const keeps = [backup, 'keeps a backup of as many days, weeks and months as its settings say'] as const;
const scheduledBackup = [backup, 'count the time since a scheduled backup that no success has followed'] as const;
const encrypted = [backup, 'is encrypted with the passphrase of the settings, and contains the keys'] as const;
const scheduledMirror = [mirror, 'starts a run when one is due and it is switched on'] as const;
const mirrorInBucket = [mirror, 'receives every object, and nothing the second time'] as const;
const redaction = 'media/src/redaction/redaction.it.test.ts';
const maskedAudio = 'media/src/copies/copies.it.test.ts';
const retention = 'media/src/retention/retention.it.test.ts';
const voices = 'media/src/voices/voices.it.test.ts';
const scheduledRetention = [retention, 'is started by the schedule once, for all of its times that passed'] as const;
const publicLinks = 'media/src/public-links/public-links.it.test.ts';
const limitsOfLinks = [publicLinks, 'are refused beyond their limits'] as const;
const syncRuns = 'directory-sync/src/runs/runs.it.test.ts';

/** A setting without an entry does not compile. */
const tables: {
  backup: Proofs<keyof SettingValues<typeof backupGroup>>;
  mirror: Proofs<keyof SettingValues<typeof mirrorGroup>>;
  retention: Proofs<keyof SettingValues<typeof retentionGroup>>;
  redaction: Proofs<keyof SettingValues<typeof redactionGroup>>;
  voices: Proofs<keyof SettingValues<typeof voiceSettings>>;
  labels: Proofs<keyof SettingValues<typeof labelGroup>>;
  insights: Proofs<keyof SettingValues<typeof insightsGroup>>;
  prompts: Proofs<keyof SettingValues<typeof promptsGroup>>;
  public_links: Proofs<keyof SettingValues<typeof publicLinksGroup>>;
} = {
  backup: {
    enabled: scheduledBackup,
    schedule: scheduledBackup,
    destination_type: encrypted,
    destination: [backup, 'appears in the folder of the settings and in the list of runs'],
    s3_endpoint_url: sentToServer,
    s3_region: sentToServer,
    s3_bucket: sentToServer,
    s3_access_key_id: sentToServer,
    s3_secret_key: encrypted,
    s3_prefix: sentToServer,
    retention_daily: keeps,
    retention_weekly: keeps,
    retention_monthly: keeps,
    encrypt: encrypted,
    passphrase: encrypted,
  },
  mirror: {
    enabled: scheduledMirror,
    schedule: scheduledMirror,
    destination_type: mirrorInBucket,
    destination: [mirror, 'copies every object with its type, in the layout of the object store'],
    s3_endpoint_url: sentToServer,
    s3_region: sentToServer,
    s3_bucket: sentToServer,
    s3_access_key_id: sentToServer,
    s3_secret_key: mirrorInBucket,
    throttle_mb_per_second: [mirror, 'continues where it was, within its limit of bytes a second'],
  },
  retention: {
    enabled: scheduledRetention,
    schedule: scheduledRetention,
    max_percent: [retention, 'holds a set above the limit until exactly this set is approved'],
  },
  redaction: {
    masked_kinds: [redaction, 'is masked for the audiences of the policy only'],
    masked_for: [redaction, 'is masked for the audiences of the policy only'],
    withhold_unscanned: [redaction, 'is withheld after a failed scan even when the policy shows unscanned text'],
    reveal_for: [maskedAudio, 'is also masked for an owner and an administrator who may not reveal'],
    audio_masking: [
      maskedAudio,
      'is the recording itself for readers who may reveal and while the policy leaves it alone',
    ],
  },
  voices: {
    profiles_enabled: [voices, 'makes no profile while voices may not be stored'],
    suggestion_threshold: [voices, 'is suggested from the confidence of the settings only'],
  },
  labels: {
    apply_automatically: [
      'insights/src/suggestions/suggestions.it.test.ts',
      'are off for everybody when a super_admin switched them off',
    ],
    confidence_threshold: [
      'insights/src/suggestions/suggestions.test.ts',
      'begin at the threshold that the administrator has set, unless the person chose another',
    ],
  },
  insights: {
    automatic: [
      'insights/src/summaries/summaries.it.test.ts',
      'is ordered after a transcription, once for each event, unless that is switched off',
    ],
    own_providers: ['insights/src/providers/providers.it.test.ts', 'are refused until the administrator allows them'],
  },
  prompts: {
    organisation_context: [
      'insights/src/suggestions/suggestions.it.test.ts',
      'follow the prompt for speaker names that the owner uses, and what was written about the organisation',
    ],
  },
  public_links: {
    enabled: [publicLinks, 'while they are switched off by the setting alone'],
    max_days: limitsOfLinks,
    password_required: limitsOfLinks,
  },
};
/** Its route has a shape of its own. */
const directorySync: Proofs<keyof DirectorySyncSettings> = {
  enabled: [syncRuns, 'reports `disabled` when the directory sync is switched off, except in a dry run'],
  schedule: [syncRuns, 'enqueues one run and claims its window when it is due'],
  dry_run: [syncRuns, 'reports the accounts to disable without a change when dry_run is set'],
  max_disables_per_run: [syncRuns, 'disables at most max_disables_per_run and defers the rest'],
  max_disable_percent: [syncRuns, 'holds the whole set above the allowed share'],
};
/** Files with a table of their own, which has a test for each setting. */
const ownTables = {
  engine: ['transcription-worker/src/settings/behaviours.test.ts'],
  signIn: ['behaviours', 'behaviours-ldap', 'behaviours-oidc', 'behaviours-proxies'].map(
    (name) => `identity/src/settings/${name}.it.test.ts`,
  ),
};

function read(file: string): string {
  return readFileSync(resolve(root, 'services', file), 'utf8');
}

type Group = { readonly name: string; readonly fields: object };
const groups = Object.values<unknown>(contracts).filter(
  (value): value is Group => typeof value === 'object' && value !== null && 'name' in value && 'fields' in value,
);

describe('every setting changes behaviour', () => {
  it('of every group of the contracts', () => {
    expect(groups.map(({ name }) => name).toSorted()).toEqual([...Object.keys(tables), 'engine'].toSorted());
    for (const { name, fields } of groups.filter(({ name: other }) => other in tables))
      expect(Object.keys(tables[name as keyof typeof tables]).toSorted()).toEqual(Object.keys(fields).toSorted());
    expect(Object.keys(directorySync).toSorted()).toEqual(
      Object.keys(contracts.directorySyncSettings.shape).toSorted(),
    );
  });

  const proofs = Object.entries({ ...tables, 'directory sync': directorySync }).flatMap(([group, table]) =>
    Object.entries(table).map(([key, [file, test]]) => [group, key, file, test] as const),
  );
  it.each(proofs)('%s: %s, by a test of %s', (_group, key, file, test) => {
    const text = read(file);
    const hasTest = [`'`, '"', '`'].some((quote) => text.includes(quote + test + quote));
    expect([test, hasTest]).toEqual([test, true]);
    // A test may set it by a function of its file.
    expect(text).toContain(key);
  });

  it.each([
    ['engine', Object.keys(contracts.engineSettings.fields), ownTables.engine],
    ['sign-in', Object.keys(contracts.authSettings), ownTables.signIn],
  ])('%s, in a table of its own', (_group, keys, files) => {
    const text = files.map(read).join('\n');
    expect(keys.filter((key) => !new RegExp(`^ +${key}\\b|\\['${key}'\\] = `, 'm').test(text))).toEqual([]);
  });
});

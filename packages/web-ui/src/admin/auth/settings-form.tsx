import { plural, t } from '@lingui/core/macro';
import { Alert, Button, Stack, Text } from '@mantine/core';
import type { AuthCategory } from '@overtone/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { fieldOf } from '../../api/problem.ts';
import { notify } from '../../ui/notify.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useUnsaved } from '../../ui/unsaved.tsx';
import { RestoredNote } from '../../ui/draft.tsx';
import { useDraft } from '../../state/use-draft.ts';
import { withoutSaved } from '../settings/changes.ts';
import { Section } from '../../ui/pane.tsx';
import css from './auth.module.css';
import { CallbackAddress } from './callback-address.tsx';
import { ChangeHistory } from './change-history.tsx';
import { ConnectionTest, type Tested } from './connection-test.tsx';
import {
  applyEdit,
  errorOfValue,
  failedWhenTested,
  shownValue,
  type ConfigItem,
  type Edits,
  type Value,
} from './draft.ts';
import { layouts, type FieldGroup } from './layout.ts';
import { RefusalNote } from './refusal-note.tsx';
import { SettingField } from './setting-field.tsx';
import { isSource, SourceSessions } from './source-sessions.tsx';

const callbackKey = 'oidc_callback_url';

function enteredCallback(items: readonly ConfigItem[], edits: Edits): string {
  const item = items.find(({ config_key }) => config_key === callbackKey);
  return item ? String(shownValue(item, edits) ?? '') : '';
}

type Props = { readonly category: AuthCategory; readonly items: readonly ConfigItem[] };

/** The settings of one category, which are saved together. */
export function SettingsForm({ category, items }: Props) {
  const layout = layouts[category];
  const client = useQueryClient();
  const { edits, setEdits, draft } = useEdits(category, items);
  const [submitted, setSubmitted] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const [tested, setTested] = useState<Tested | null>(null);
  const [isAsking, setAsking] = useState(false);
  const changed = Object.keys(edits).length;
  const invalid = items.filter((item) => errorOfValue(item, edits) !== null);
  const save = useMutation({
    mutationFn: async (entered: Edits) => {
      const answer = await call('PUT /api/admin/auth-config/{category}', {
        params: { category },
        body: { ...entered },
      });
      // Load the new values before the edits are cleared, so that the form never shows the old values.
      await client.invalidateQueries({ queryKey: ['auth-config'] });
      return answer;
    },
    onSettled: (_, error) => setRefused(error),
    onSuccess: ({ updated_count }, entered) => {
      setSubmitted(false);
      notify(
        updated_count === 0
          ? t`No changes.`
          : t`${plural(updated_count, { one: '# setting', other: '# settings' })} saved.`,
      );
      // What was entered while they were saved stays.
      setEdits(withoutSaved(edits, entered));
      for (const key of ['public', 'approvals', 'source-sessions']) void client.invalidateQueries({ queryKey: [key] });
    },
  });
  const discard = (): void => {
    setEdits({});
    setRefused(null);
    save.reset();
  };
  const change = (key: string, value: Value): void => setEdits(applyEdit(items, edits, key, value));
  const errorOf = (item: ConfigItem): string | null =>
    (submitted || item.data_type === 'integer' ? errorOfValue(item, edits) : null) ?? fieldOf(refused, item.config_key);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setSubmitted(true);
        if (invalid.length === 0 && changed > 0) {
          if (failedWhenTested(category, items, edits, tested)) setAsking(true);
          else save.mutate(edits);
        } else focusOn(invalid[0]?.config_key);
      }}
    >
      <Stack gap="lg">
        <Text c="dimmed">{layout.intro}</Text>
        <RestoredNote draft={draft} />
        {[...layout.groups, ...unplaced(layout.groups, items)].map((group) => (
          <Section key={group.title} title={group.title}>
            <div className={css['fields']}>
              {group.fields.some(({ key }) => key === callbackKey) && (
                <CallbackAddress
                  entered={enteredCallback(items, edits)}
                  onUse={(address) => change(callbackKey, address)}
                />
              )}
              {group.fields.map(({ key, label, kind }) => {
                const item = items.find(({ config_key }) => config_key === key);
                return item ? (
                  <SettingField
                    key={key}
                    item={item}
                    label={label}
                    kind={kind ?? 'plain'}
                    edits={edits}
                    error={errorOf(item)}
                    onChange={change}
                  />
                ) : null;
              })}
            </div>
          </Section>
        ))}
        {layout.test !== undefined && (category === 'ldap' || category === 'oidc' || category === 'pki') && (
          <ConnectionTest
            category={category}
            intro={layout.test}
            edits={edits}
            refused={refused}
            onRefused={setRefused}
            onTested={setTested}
          />
        )}
        {isAsking && (
          <Confirm
            title={t`Save although the test failed?`}
            action={t`Save anyway`}
            run={() => save.mutateAsync(edits)}
            onDone={() => undefined}
            onClose={() => setAsking(false)}
          >
            <Text size="sm">{tested?.message}</Text>
            <Text size="sm" mt="xs">{t`No one can sign in this way until it works.`}</Text>
          </Confirm>
        )}
        {save.error && save.error === refused && (
          <RefusalNote error={save.error} title={t`The settings weren’t saved`} />
        )}
        {save.data && save.data.warnings.length > 0 && (
          <Alert color="yellow" variant="light" title={t`Saved with warnings`} role="status">
            {save.data.warnings.map((warning) => (
              <Text key={warning} size="sm">
                {warning}
              </Text>
            ))}
          </Alert>
        )}
        {isSource(category) && (
          <SourceSessions source={category} switchingOff={edits[`${category}_enabled`] === false} />
        )}
        <div className={css['saveBar']} data-dirty={changed > 0}>
          <Button type="submit" loading={save.isPending} disabled={changed === 0}>
            {t`Save`}
          </Button>
          <Button variant="default" disabled={changed === 0 || save.isPending} onClick={discard}>
            {t`Discard changes`}
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {changed === 0 ? '' : plural(changed, { one: '# unsaved change', other: '# unsaved changes' })}
          </Text>
        </div>
        <ChangeHistory category={category} />
      </Stack>
    </form>
  );
}

const noEdits: Edits = {};

/** The unsaved changes. Secrets are kept in memory only; the other changes survive a reload. */
function useEdits(category: AuthCategory, items: readonly ConfigItem[]) {
  const draft = useDraft<Edits>(`settings:${category}`, noEdits);
  const [secrets, setSecrets] = useState<Edits>(noEdits);
  const isSecret = (key: string): boolean => items.some((item) => item.config_key === key && item.is_sensitive);
  const setEdits = (edits: Edits): void => {
    const { secret = [], plain = [] } = Object.groupBy(Object.entries(edits), ([key]) =>
      isSecret(key) ? 'secret' : 'plain',
    );
    setSecrets(Object.fromEntries(secret));
    draft.set(Object.fromEntries(plain));
  };
  useUnsaved(Object.keys(secrets).length > 0, () => setSecrets(noEdits));
  return { edits: { ...draft.value, ...secrets }, setEdits, draft };
}

/** Settings that the layout does not contain are shown in a group of their own. */
function unplaced(groups: readonly FieldGroup[], items: readonly ConfigItem[]): FieldGroup[] {
  const placed = new Set(groups.flatMap((group) => group.fields.map((field) => field.key)));
  const rest = items.filter((item) => !placed.has(item.config_key));
  return rest.length === 0
    ? []
    : [{ title: t`More`, fields: rest.map((item) => ({ key: item.config_key, label: item.config_key })) }];
}

function focusOn(key: string | undefined): void {
  if (key !== undefined) document.querySelector<HTMLElement>(`[data-key="${key}"] input`)?.focus();
}

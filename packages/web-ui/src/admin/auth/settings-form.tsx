import { Alert, Button, Stack, Text } from '@mantine/core';
import type { AuthCategory } from '@overtone/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/identity.ts';
import { fieldOf } from '../../api/problem.ts';
import { say } from '../../app/notify.ts';
import { plural } from '../../lib/format.ts';
import { Section } from '../parts.tsx';
import css from './auth.module.css';
import { ChangeHistory } from './change-history.tsx';
import { ConnectionTest } from './connection-test.tsx';
import { edit, faultOf, type ConfigItem, type Edits, type Value } from './draft.ts';
import { layouts, type FieldGroup } from './layout.ts';
import { LeaveGuard } from './leave-guard.tsx';
import { RefusalNote } from './refusal-note.tsx';
import { SettingField } from './setting-field.tsx';

type Props = { readonly category: AuthCategory; readonly items: readonly ConfigItem[] };

/** The settings of one category: changed together, saved together. */
export const SettingsForm = ({ category, items }: Props) => {
  const layout = layouts[category];
  const client = useQueryClient();
  const [edits, setEdits] = useState<Edits>({});
  const [tried, setTried] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const changed = Object.keys(edits).length;
  const faulty = items.filter((item) => faultOf(item, edits) !== null);
  const save = useMutation({
    mutationFn: () => ask('updateAuthConfig', { params: { category }, body: { ...edits } }),
    onSettled: (_, error) => setRefused(error),
    onSuccess: async ({ updated_count }) => {
      setTried(false);
      say(updated_count === 0 ? 'Nothing was different.' : `${plural(updated_count, 'setting')} saved, in force now.`);
      // First the new values, then the end of the changes: the form never shows the old ones in between.
      await client.invalidateQueries({ queryKey: ['auth-config'] });
      setEdits({});
      for (const key of ['public', 'approvals']) void client.invalidateQueries({ queryKey: [key] });
    },
  });
  const discard = (): void => {
    setEdits({});
    setRefused(null);
    save.reset();
  };
  const change = (key: string, value: Value): void => setEdits((before) => edit(items, before, key, value));
  const errorOf = (item: ConfigItem): string | null =>
    (tried || item.data_type === 'integer' ? faultOf(item, edits) : null) ?? fieldOf(refused, item.config_key);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (faulty.length === 0 && changed > 0) save.mutate();
        else focusOn(faulty[0]?.config_key);
      }}
    >
      <Stack gap="lg">
        <Text c="dimmed">{layout.intro}</Text>
        {[...layout.groups, ...unplaced(layout.groups, items)].map((group) => (
          <Section key={group.title} title={group.title}>
            <div className={css['fields']}>
              {group.fields.map(({ key, label, kind }) => {
                const item = items.find((one) => one.config_key === key);
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
        {layout.test !== undefined && (category === 'ldap' || category === 'oidc') && (
          <ConnectionTest category={category} intro={layout.test} edits={edits} onRefused={setRefused} />
        )}
        {save.error && <RefusalNote error={save.error} title="Nothing was saved" />}
        {save.data && save.data.warnings.length > 0 && (
          <Alert color="yellow" variant="light" title="Saved, but look at this" role="status">
            {save.data.warnings.map((warning) => (
              <Text key={warning} size="sm">
                {warning}
              </Text>
            ))}
          </Alert>
        )}
        <div className={css['saveBar']} data-dirty={changed > 0}>
          <Button type="submit" loading={save.isPending} disabled={changed === 0}>
            Save
          </Button>
          <Button variant="default" disabled={changed === 0 || save.isPending} onClick={discard}>
            Discard changes
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {changed === 0 ? '' : `${plural(changed, 'change')} not saved`}
          </Text>
        </div>
        <ChangeHistory category={category} />
      </Stack>
      <LeaveGuard on={changed > 0 && !save.isPending} />
    </form>
  );
};

/** Settings that this page knows no place for yet are there all the same. */
const unplaced = (groups: readonly FieldGroup[], items: readonly ConfigItem[]): FieldGroup[] => {
  const placed = new Set(groups.flatMap((group) => group.fields.map((field) => field.key)));
  const rest = items.filter((item) => !placed.has(item.config_key));
  return rest.length === 0
    ? []
    : [{ title: 'More', fields: rest.map((item) => ({ key: item.config_key, label: item.config_key })) }];
};

const focusOn = (key: string | undefined): void => {
  if (key !== undefined) document.querySelector<HTMLElement>(`[data-key="${key}"] input`)?.focus();
};

import { t } from '@lingui/core/macro';
import { Radio, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { call } from '../../api/client.ts';
import { CollectionSelect } from '../../collections/collection-select.tsx';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { useForm } from '../../state/use-form.ts';
import { removalLabels } from './labels.ts';
import type { RetentionRule } from './retention-queries.ts';

const mebibyte = 1024 * 1024;
const largestMebibytes = Math.floor(Number.MAX_SAFE_INTEGER / mebibyte);
type Fields = Pick<RetentionRule, 'name' | 'enabled' | 'removes' | 'conditions'>;
const newRule: Fields = { name: '', enabled: false, removes: 'recording', conditions: {} };

type Props = {
  readonly rule: RetentionRule | null;
  readonly onDone: () => Promise<unknown>;
  readonly onClose: () => void;
};

/** Adds or changes a retention rule. */
export function RuleDialog({ rule, onDone, onClose }: Props) {
  const form = useForm<Fields, RetentionRule>({
    key: `retention-rule:${rule?.uuid ?? 'new'}`,
    saved: rule ? fieldsOf(rule) : newRule,
    send: (body, changed) =>
      rule
        ? call('PUT /api/admin/retention/rules/{uuid}', { params: { uuid: rule.uuid }, body: changed })
        : call('POST /api/admin/retention/rules', { body }),
    refresh: onDone,
    onSaved: onClose,
  });
  const { conditions } = form.value;
  const setCondition = (condition: keyof Fields['conditions'], value: number | string[] | undefined): void => {
    const { [condition]: _, ...others } = conditions;
    form.change({ conditions: value === undefined ? others : { ...others, [condition]: value } });
  };
  return (
    <FormDialog
      title={rule ? t`Change the rule` : t`Add a rule`}
      action={t`Save`}
      unready={stillMissing(form.fields.name === '' && t`Name`, Object.keys(conditions).length === 0 && t`A condition`)}
      {...form.dialog}
      failure={t`The rule wasn’t saved`}
      fields={['name', 'enabled', 'removes']}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus required maxLength={100} {...form.text('name')} />
      <Radio.Group label={t`What the rule does`} {...form.field('removes')}>
        <Stack gap="xs" mt="xs">
          <Radio value="recording" label={removalLabels.recording} />
          <Radio value="everything" label={removalLabels.everything} />
        </Stack>
      </Radio.Group>
      <Text size="sm">{t`A file must meet every condition that is filled in.`}</Text>
      <Days
        label={t`Uploaded more than this many days ago`}
        value={conditions.older_than_days}
        onChange={(value) => setCondition('older_than_days', value)}
      />
      <Days
        label={t`Not opened, played or exported for this many days`}
        value={conditions.unused_for_days}
        onChange={(value) => setCondition('unused_for_days', value)}
      />
      <NumberField
        label={t`Recording larger than (MB)`}
        optional
        min={1}
        max={largestMebibytes}
        allowDecimal={false}
        value={conditions.larger_than_bytes === undefined ? null : Math.round(conditions.larger_than_bytes / mebibyte)}
        onChange={(value) => setCondition('larger_than_bytes', value === null ? undefined : value * mebibyte)}
      />
      <TagsInput
        label={t`Has one of these tags`}
        value={conditions.any_tag ?? []}
        maxTags={20}
        onChange={(tags) => setCondition('any_tag', tags.length === 0 ? undefined : tags)}
      />
      <Collections
        chosen={conditions.any_collection ?? []}
        onChange={(ids) => setCondition('any_collection', ids.length === 0 ? undefined : ids)}
      />
      <Switch
        label={t`Switched on`}
        description={t`A rule that is switched off can be previewed and deletes nothing.`}
        {...form.check('enabled')}
      />
    </FormDialog>
  );
}

function fieldsOf({ name, enabled, removes, conditions }: RetentionRule): Fields {
  return { name, enabled, removes, conditions };
}

const mostCollections = 20;

type CollectionsProps = { chosen: readonly string[]; onChange: (ids: string[]) => void };

/** A field for each chosen collection, and one for the next. */
function Collections({ chosen, onChange }: CollectionsProps) {
  const fields = chosen.length < mostCollections ? [...chosen, null] : chosen;
  const set = (at: number, id: string | null): void => {
    const next =
      id === null ? chosen.filter((_, i) => i !== at) : [...chosen.slice(0, at), id, ...chosen.slice(at + 1)];
    onChange([...new Set(next)]);
  };
  return (
    <Stack gap="xs">
      {fields.map((id, at) => (
        <CollectionSelect
          key={id ?? 'next'}
          label={at === 0 ? t`Is in this collection` : t`Or in this collection`}
          value={id}
          onChange={(next) => set(at, next)}
        />
      ))}
    </Stack>
  );
}

type DaysProps = { label: string; value: number | undefined; onChange: (value: number | undefined) => void };

function Days({ label, value, onChange }: DaysProps) {
  return (
    <NumberField
      label={label}
      optional
      min={1}
      max={36_500}
      allowDecimal={false}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
    />
  );
}

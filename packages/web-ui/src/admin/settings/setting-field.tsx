import { t } from '@lingui/core/macro';
import { Badge, Button, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import type { SettingItem } from '@overtone/contracts';
import { SecretField } from './secret-field.tsx';
import css from './settings.module.css';
import type { SettingsFormState } from './use-settings-form.ts';
import { automatic, shownValue, unitText, type SettingEdits } from './items.ts';

/** The texts of one setting. */
export type SettingLabel = {
  readonly label: string;
  readonly description?: string;
  /** Names of choices. */
  readonly choices?: Readonly<Record<string, string>>;
};
type Props = {
  readonly item: SettingItem;
  readonly texts: SettingLabel;
  readonly form: Pick<SettingsFormState<SettingEdits>, 'fields' | 'change' | 'errorOf' | 'secrets' | 'changeSecret'>;
};

/** One setting, made from the description that its route returns: control, source, and the way back to the default. */
export function SettingField(props: Props) {
  const { item, texts, form } = props;
  const edited = form.fields[item.key];
  const isStored = edited === item.value ? item.source === 'stored' : edited !== null;
  return (
    <div data-testid="setting" data-key={item.key} data-source={item.source}>
      <Control {...props} />
      <div className={css['origin']}>
        <Source item={item} isStored={isStored} />
        {isStored && item.type !== 'secret' && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            aria-label={t`Reset: ${texts.label}`}
            onClick={() => form.change({ [item.key]: null })}
          >
            {t`Reset`}
          </Button>
        )}
      </div>
    </div>
  );
}

function Source({ item, isStored }: { item: SettingItem; isStored: boolean }) {
  if (item.type === 'secret') return null;
  const fromEnvironment = item.variable !== null && item.environment_value !== null;
  const text = isStored ? t`set here` : fromEnvironment ? t`from ${item.variable ?? ''}` : t`default`;
  return (
    <Badge size="sm" variant="light" color={isStored ? 'petrol' : 'gray'} tt="none">
      {text}
    </Badge>
  );
}

function Control({ item, texts: { label, description, choices = {} }, form }: Props) {
  const value = shownValue(item, form.fields);
  const set = (next: SettingItem['value']): void => form.change({ [item.key]: next });
  const common = { label, description, error: form.errorOf(item.key) };
  switch (item.type) {
    case 'boolean':
      return <Switch {...common} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
    case 'integer':
    case 'number':
      return (
        <NumberInput
          {...common}
          value={typeof value === 'number' ? value : ''}
          placeholder={item.automatic ? t`Automatic` : ''}
          min={item.minimum ?? 0}
          max={item.maximum ?? Number.MAX_SAFE_INTEGER}
          step={item.type === 'integer' ? 1 : 0.05}
          allowDecimal={item.type === 'number'}
          // A value out of range is reported, not corrected silently.
          clampBehavior="none"
          suffix={unitText(item.unit)}
          onChange={(next) => set(next === '' ? (item.automatic ? automatic : null) : Number(next))}
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          data={(item.choices ?? []).map((choice) => ({ value: choice, label: choices[choice] ?? choice }))}
          value={String(value)}
          allowDeselect={false}
          onChange={set}
        />
      );
    case 'text':
      return (
        <TextInput
          {...common}
          value={String(value ?? '')}
          maxLength={item.max_length ?? 1_024}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
    case 'secret':
      return (
        <SecretField
          form={form}
          name={item.key}
          label={label}
          isSet={item.is_set}
          mayDelete
          {...(description === undefined ? {} : { description })}
        />
      );
    default:
      return item.type satisfies never;
  }
}

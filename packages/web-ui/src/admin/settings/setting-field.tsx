import { t } from '@lingui/core/macro';
import { Badge, Button, Checkbox, NumberInput, Select, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import type { SettingItem } from '@overtone/contracts';
import { useState } from 'react';
import { isSame } from './changes.ts';
import { SecretField } from './secret-field.tsx';
import css from './settings.module.css';
import type { SettingsFormState } from './use-settings-form.ts';
import { automatic, shownValue, unitText, type SettingEdits } from './items.ts';

/** The texts of one setting. */
export type SettingLabel = {
  readonly label: string;
  readonly description?: string;
  /** What an empty number means. */
  readonly placeholder?: string;
  /** Names of choices. */
  readonly choices?: Readonly<Record<string, string>>;
};
type Props = {
  readonly item: SettingItem;
  readonly texts: SettingLabel;
  readonly form: Pick<SettingsFormState<SettingEdits>, 'fields' | 'change' | 'errorOf' | 'secrets' | 'changeSecret'>;
};

type FieldsProps = {
  readonly items: readonly SettingItem[];
  readonly form: Props['form'];
  /** Texts by key; a setting without is not shown. */
  readonly labels: Readonly<Partial<Record<string, SettingLabel>>>;
};

/** The settings of a group, in the order of the contract. */
export function SettingFields({ items, form, labels }: FieldsProps) {
  return items.map((item) => {
    const texts = labels[item.key];
    return texts && <SettingField key={item.key} item={item} texts={texts} form={form} />;
  });
}

/** One setting, made from the description that its route returns: control, source, and the way back to the default. */
export function SettingField(props: Props) {
  const { item, texts, form } = props;
  const edited = form.fields[item.key];
  const isEntered = !isSame(edited, item.value);
  const isStored = item.source === 'stored' && edited !== null;
  return (
    <div data-testid="setting" data-key={item.key} data-source={item.source}>
      <Control {...props} />
      {item.type !== 'secret' && (
        <SettingSource
          label={texts.label}
          text={isEntered ? t`not saved yet` : sourceText(item, isStored)}
          color={isEntered ? 'yellow' : isStored ? 'petrol' : 'gray'}
          onReset={isStored ? () => form.change({ [item.key]: null }) : null}
        />
      )}
    </div>
  );
}

function sourceText({ variable, environment_value }: SettingItem, isStored: boolean): string {
  if (isStored) return t`set here`;
  return variable !== null && environment_value !== null ? t`from ${variable}` : t`default`;
}

type SourceProps = {
  readonly label: string;
  /** Where the value comes from; null: not shown. */
  readonly text: string | null;
  readonly color: string;
  /** Returns to the environment or the default; null: the setting already has that value. */
  readonly onReset: (() => void) | null;
};

/** Where the value of a setting comes from, and the way back to the default. */
export function SettingSource({ label, text, color, onReset }: SourceProps) {
  return (
    <div className={css['origin']}>
      {text !== null && (
        <Badge size="sm" variant="light" color={color} tt="none">
          {text}
        </Badge>
      )}
      {onReset && (
        <Button size="compact-xs" variant="subtle" color="gray" aria-label={t`Reset: ${label}`} onClick={onReset}>
          {t`Reset`}
        </Button>
      )}
    </div>
  );
}

function Control({ item, texts, form }: Props) {
  const { label, description, choices = {} } = texts;
  const value = shownValue(item, form.fields);
  const set = (next: SettingItem['value']): void => form.change({ [item.key]: next });
  const common = { label, ...(description === undefined ? {} : { description }), error: form.errorOf(item.key) };
  switch (item.type) {
    case 'boolean':
      return <Switch {...common} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
    case 'integer':
    case 'number':
      return (
        <NumberControl
          item={item}
          common={common}
          placeholder={item.automatic ? t`Automatic` : (texts.placeholder ?? '')}
          value={value}
          set={set}
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
    case 'choices':
      return (
        <Checkbox.Group {...common} value={Array.isArray(value) ? value : []} onChange={set}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
            {(item.choices ?? []).map((choice) => (
              <Checkbox key={choice} value={choice} label={choices[choice] ?? choice} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      );
    case 'text':
      return <TextControl item={item} common={common} value={String(value ?? '')} set={set} />;
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

type Common = Pick<SettingLabel, 'label' | 'description'> & { readonly error: string | null };
type ControlProps = {
  readonly item: SettingItem;
  readonly common: Common;
  readonly set: (next: SettingItem['value']) => void;
};

function NumberControl({
  item,
  common,
  placeholder,
  value,
  set,
}: ControlProps & { readonly value: SettingItem['value']; readonly placeholder: string }) {
  // Without a number the default is effective, but it would be in the way of what is typed next.
  const [isBlank, setBlank] = useState(false);
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = item;
  return (
    <NumberInput
      {...common}
      value={typeof value === 'number' && !isBlank ? value : ''}
      placeholder={placeholder}
      min={minimum}
      max={maximum}
      step={item.type === 'integer' || maximum - minimum > 10 ? 1 : 0.05}
      allowDecimal={item.type === 'number'}
      // Most languages write a comma: without this 0,8 would become 8.
      allowedDecimalSeparators={['.', ',']}
      // A value out of range is reported, not corrected silently.
      clampBehavior="none"
      suffix={unitText(item.unit)}
      onBlur={() => setBlank(false)}
      onChange={(next) => {
        setBlank(next === '');
        set(next === '' ? (item.automatic ? automatic : null) : Number(next));
      }}
    />
  );
}

/** The longest text that fits into one line. */
const longestLine = 1_024;

function TextControl({ item, common, value, set }: ControlProps & { readonly value: string }) {
  const { max_length: maxLength = longestLine } = item;
  if (maxLength > longestLine)
    return (
      <Textarea
        {...common}
        autosize
        minRows={6}
        maxRows={20}
        maxLength={maxLength}
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...common}
      value={value}
      maxLength={maxLength}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

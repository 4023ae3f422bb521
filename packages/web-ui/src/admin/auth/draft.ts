import { t } from '@lingui/core/macro';
import type { ResponseBody } from '@overtone/client';
import { recipientsOfSecrets } from '@overtone/contracts/secret-recipients';

export type ConfigItem =
  ResponseBody<'GET /api/admin/auth-config'>[keyof ResponseBody<'GET /api/admin/auth-config'>][number];
export type Value = ConfigItem['config_value'];
/** Unsaved changes: null resets a setting to its default, `<key>_clear` deletes a secret. */
export type Edits = Readonly<Record<string, Value>>;

/** The value that a field shows. */
export function shownValue(item: ConfigItem, edits: Edits): Value {
  const edited = edits[item.config_key];
  if (edited === undefined) return storedOf(item);
  return edited ?? (item.is_sensitive ? '' : (item.default_value ?? ''));
}

/** Adds a change. Setting the stored value again removes the change. */
export function applyEdit(items: readonly ConfigItem[], edits: Edits, key: string, value: Value): Edits {
  const { [key]: _, ...rest } = edits;
  const item = items.find(({ config_key }) => config_key === key);
  const isStored = item !== undefined && value === storedOf(item);
  const next: Edits = isStored ? rest : { ...rest, [key]: value };
  return key === 'ldap_use_ssl' ? withStandardPort(items, next) : next;
}

/** Switches between the standard ports of LDAPS and LDAP; any other port stays. */
function withStandardPort(items: readonly ConfigItem[], edits: Edits): Edits {
  const ssl = items.find(({ config_key }) => config_key === 'ldap_use_ssl');
  const port = items.find(({ config_key }) => config_key === 'ldap_port');
  if (!ssl || !port) return edits;
  const [standard, previous] = shownValue(ssl, edits) === true ? [636, 389] : [389, 636];
  return shownValue(port, edits) === previous ? applyEdit(items, edits, 'ldap_port', standard) : edits;
}

/** The error of a value; null for a value that the server may accept. */
export function errorOfValue(item: ConfigItem, edits: Edits): string | null {
  const value = shownValue(item, edits);
  if (item.data_type !== 'integer') return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) return t`Enter a whole number.`;
  const { minimum = -Infinity, maximum = Infinity } = item;
  return value < minimum || value > maximum ? t`Enter a number from ${minimum} to ${maximum}.` : null;
}

/** True when a stored value can be reset to the default. */
export function canReset(item: ConfigItem, edits: Edits): boolean {
  return item.origin === 'stored' && !item.is_sensitive && edits[item.config_key] === undefined;
}

/** True when the changes would send a stored secret to another server. The secret must then be entered again. */
export function mustReenterSecret(item: ConfigItem, edits: Edits): boolean {
  return (
    item.is_set &&
    item.config_key in recipientsOfSecrets &&
    recipientsOfSecrets[item.config_key as keyof typeof recipientsOfSecrets].some((key) => edits[key] !== undefined) &&
    !edits[item.config_key] &&
    edits[`${item.config_key}_clear`] !== true
  );
}

/** Whether a save would leave a source switched on whose test failed with the same values. */
export function failedWhenTested(
  category: string,
  items: readonly ConfigItem[],
  edits: Edits,
  tested: { readonly edits: Edits; readonly success: boolean } | null,
): boolean {
  const key = `${category}_enabled`;
  const item = items.find(({ config_key }) => config_key === key);
  if (!item || shownValue(item, edits) !== true || tested === null || tested.success) return false;
  const others = (of: Edits): string =>
    JSON.stringify(
      Object.entries(of)
        .filter(([name]) => name !== key)
        .toSorted(([x], [y]) => x.localeCompare(y)),
    );
  return others(edits) === others(tested.edits);
}

/** The stored value as a field shows it: a secret and an unset text are empty. */
function storedOf(item: ConfigItem): Value {
  return item.data_type === 'string' ? (item.config_value ?? '') : item.config_value;
}

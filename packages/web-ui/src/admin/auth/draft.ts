import { recipientsOfSecrets } from '@overtone/contracts/secret-recipients';
import type { IdentityAnswer } from '../../api/identity.ts';

export type ConfigItem = IdentityAnswer<'authConfig'>[keyof IdentityAnswer<'authConfig'>][number];
export type Value = ConfigItem['config_value'];
/** What was changed and is not saved: null takes a setting back to its default, `<key>_clear` forgets a secret. */
export type Edits = Readonly<Record<string, Value>>;

/** A secret field is empty until something is typed; a text that is not set is empty. */
const storedOf = (item: ConfigItem): Value =>
  item.data_type === 'string' ? (item.config_value ?? '') : item.config_value;

/** What a field shows. */
export const shownOf = (item: ConfigItem, edits: Edits): Value => {
  const edited = edits[item.config_key];
  if (edited === undefined) return storedOf(item);
  return edited ?? (item.is_sensitive ? '' : (item.default_value ?? ''));
};

/** Takes one change in; what stands as it was is no change. */
export const edit = (items: readonly ConfigItem[], edits: Edits, key: string, value: Value): Edits => {
  const { [key]: _, ...rest } = edits;
  const item = items.find((one) => one.config_key === key);
  const same = item !== undefined && value === storedOf(item);
  const next: Edits = same ? rest : { ...rest, [key]: value };
  return key === 'ldap_use_ssl' ? withPort(items, next) : next;
};

/** LDAPS and plain LDAP have their own usual ports; a port of one's own stays. */
const withPort = (items: readonly ConfigItem[], edits: Edits): Edits => {
  const ssl = items.find((one) => one.config_key === 'ldap_use_ssl');
  const port = items.find((one) => one.config_key === 'ldap_port');
  if (!ssl || !port) return edits;
  const [usual, other] = shownOf(ssl, edits) === true ? [636, 389] : [389, 636];
  return shownOf(port, edits) === other ? edit(items, edits, 'ldap_port', usual) : edits;
};

/** Why a value cannot be saved, in one sentence; null when nothing speaks against it here. */
export const faultOf = (item: ConfigItem, edits: Edits): string | null => {
  const value = shownOf(item, edits);
  if (item.data_type !== 'integer') return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) return 'It must be a whole number.';
  const { minimum = -Infinity, maximum = Infinity } = item;
  return value < minimum || value > maximum ? `It must be from ${minimum} to ${maximum}.` : null;
};

/** True when a stored value could go and the default would count. */
export const mayReset = (item: ConfigItem, edits: Edits): boolean =>
  item.origin === 'stored' && !item.is_sensitive && edits[item.config_key] === undefined;

/** True when what is changed would have a stored secret told to somebody else: then it has to be given once more. */
export const isNeededAgain = (item: ConfigItem, edits: Edits): boolean =>
  item.is_set &&
  item.config_key in recipientsOfSecrets &&
  recipientsOfSecrets[item.config_key as keyof typeof recipientsOfSecrets].some((key) => edits[key] !== undefined) &&
  !edits[item.config_key] &&
  edits[`${item.config_key}_clear`] !== true;

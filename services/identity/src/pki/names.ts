import { fromBER, type ObjectIdentifier, type Sequence, type Set as Asn1Set } from 'asn1js';

/** One attribute of a name: its type, its value for comparisons and its value as RFC 4514 writes it. */
export type Attribute = { oid: string; value: string | undefined; text: string; isIa5: boolean };
/** The relative names of a distinguished name, in the order of the certificate. */
export type Name = readonly (readonly Attribute[])[];

type Value = { valueBlock: { value?: unknown }; valueBeforeDecodeView: Uint8Array; idBlock: { tagNumber: number } };
const ia5String = 22;

/** Reads a distinguished name with its multi-valued relative names, which pkijs would flatten. @throws Error */
export function readName(der: Uint8Array): Name {
  const { result } = fromBER(new Uint8Array(der));
  return (result as Sequence).valueBlock.value.map((set) => (set as Asn1Set).valueBlock.value.map(attributeOf));
}

const shortNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
};
export const commonNameOid = '2.5.4.3';
export const emailAddressOid = '1.2.840.113549.1.9.1';

/** A name as text by RFC 4514. */
export function textOf(name: Name): string {
  return name
    .toReversed()
    .map((rdn) => rdn.map(({ oid, text }) => `${shortNames[oid] ?? oid}=${text}`).join('+'))
    .join(',');
}

/** One text for each relative name. The texts of equal names are equal, by OpenSSL's rules for case and spaces. */
export function comparable(name: Name): string[] {
  return name.map((rdn) =>
    rdn
      .map(({ oid, value, text }) => `${oid}=${value === undefined ? text : simplified(value)}`)
      .sort()
      .join('\n'),
  );
}

/** Equal for equal names. No value contains a line break, so different names have different keys. */
export function nameKeyOf(name: Name): string {
  return comparable(name).join('\n\n');
}

function attributeOf(sequence: unknown): Attribute {
  const [id, given] = (sequence as Sequence).valueBlock.value;
  const { valueBlock, valueBeforeDecodeView, idBlock } = given as unknown as Value;
  const value = typeof valueBlock.value === 'string' ? valueBlock.value : undefined;
  return {
    oid: (id as ObjectIdentifier).getValue(),
    value,
    text: value === undefined ? `#${Buffer.from(valueBeforeDecodeView).toString('hex')}` : escaped(value),
    isIa5: idBlock.tagNumber === ia5String,
  };
}

function escaped(value: string): string {
  return value
    .replaceAll(/[\\",+;<>=]/g, '\\$&')
    .replace(/^[# ]/, '\\$&')
    .replace(/ $/, '\\ ');
}

function simplified(value: string): string {
  return value
    .trim()
    .replaceAll(/[ \t\n\v\f\r]+/g, ' ')
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

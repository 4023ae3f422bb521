/** Luhn (ISO/IEC 7812): payment cards. */
export function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, i) => {
      const doubled = Number(digit) * (i % 2 === 0 ? 1 : 2);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}

/** Prefixes of the card networks: a Luhn sum alone accepts one number in ten. */
export function isCardNumber(digits: string): boolean {
  return (
    /^(3[0-9]|4|5[0-9]|6|2[2-7])\d+$/.test(digits) && digits.length >= 13 && digits.length <= 19 && passesLuhn(digits)
  );
}

/** The lengths of the IBAN registry: a checksum alone accepts one text in 97. */
const ibanLengths: ReadonlyMap<string, number> = new Map(
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

/** ISO 13616, mod 97. */
export function isIban(text: string): boolean {
  const compact = text.replaceAll(/[\s-]/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(compact)) return false;
  if (ibanLengths.get(compact.slice(0, 2)) !== compact.length) return false;
  const rearranged = compact.slice(4) + compact.slice(0, 4);
  return remainder97(rearranged.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))) === 1;
}

function remainder97(digits: string): number {
  return Array.from(digits).reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0);
}

/** United States: social security number; areas that are never issued are refused. */
export function isSsn(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits);
}

/** France: numéro de sécurité sociale with its key. */
export function isNir(digits: string): boolean {
  return /^[12]\d{14}$/.test(digits) && 97 - remainder97(digits.slice(0, 13)) === Number(digits.slice(13));
}

/** Spain: DNI, eight digits and a letter. */
export function isDni(text: string): boolean {
  const found = /^(\d{8})([A-Z])$/i.exec(text);
  return found !== null && 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(found[1]) % 23] === found[2]?.toUpperCase();
}

/** Brazil: CPF. */
export function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits) || /^(\d)\1+$/.test(digits)) return false;
  const check = (length: number): number => {
    const sum = Array.from(digits.slice(0, length)).reduce(
      (total, digit, i) => total + Number(digit) * (length + 1 - i),
      0,
    );
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

/** Germany: Steuer-Identifikationsnummer (ISO 7064 mod 11,10). */
export function isSteuerId(digits: string): boolean {
  if (!/^[1-9]\d{10}$/.test(digits)) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

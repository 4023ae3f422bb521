import type { KeyObject } from 'node:crypto';

/** Bits of security of a key as OpenSSL counts them; 0: an unknown kind of key. */
export function keyStrength({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): number {
  const { modulusLength = 0, divisorLength = 0, namedCurve = '' } = asymmetricKeyDetails;
  const strengths: Partial<Record<string, number>> = {
    rsa: factoringBits(modulusLength),
    'rsa-pss': factoringBits(modulusLength),
    dsa: discreteLogBits(modulusLength, divisorLength),
    // The name of a curve contains the size of its field.
    ec: curveBits(Number(/\d{3}/.exec(namedCurve)?.[0] ?? 0)),
    ed25519: 128,
    ed448: 224,
  };
  return strengths[asymmetricKeyType ?? ''] ?? 0;
}

/** OpenSSL's estimate for factoring (NIST SP 800-56B, appendix D), in steps of eight bits. */
function factoringBits(modulus: number): number {
  if (modulus < 8) return 0;
  const x = modulus * Math.LN2;
  const bits = (1.923 * Math.cbrt(x) * Math.cbrt(Math.log(x) ** 2) - 4.69) / Math.LN2;
  return Math.floor((bits + 4) / 8) * 8;
}

function discreteLogBits(modulus: number, divisor: number): number {
  const bits = steps(modulus, [
    [15_360, 256],
    [7680, 192],
    [3072, 128],
    [2048, 112],
    [1024, 80],
  ]);
  return divisor < 160 ? 0 : Math.min(bits, Math.floor(divisor / 2));
}

function curveBits(order: number): number {
  return steps(order, [
    [512, 256],
    [384, 192],
    [256, 128],
    [224, 112],
    [160, 80],
  ]);
}

function steps(bits: number, table: readonly (readonly [from: number, bits: number])[]): number {
  return table.find(([from]) => bits >= from)?.[1] ?? 0;
}
